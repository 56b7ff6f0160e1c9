import { Inject, Injectable, Optional } from '@nestjs/common';
import { MEBIBYTE, reportedVersion } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import {
  type OutboundFetch,
  outboundFetch,
  type OutboundProxy,
  ProxyFault,
} from '#platform/outbound';
import {
  answerOf,
  connectionFaultOf,
  type ServiceAnswer,
  type ServiceResponse,
} from './service-answer.rules.js';

/** The push service of another server. */
export interface RelaySettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly orgId: string;
  /** Secret. */
  readonly orgKey: string;
  /** The address of this server for clients; those of its organisations are derived from it. */
  readonly externalUrl: string;
  /** The way to the service; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
}

/** DI token of the RelaySettings; only on a server that relays. */
export const RELAY_SETTINGS = Symbol('RelaySettings');

/** The fields of a form; those that are undefined or null are left out. */
export type FormFields = Readonly<Record<string, string | number | null | undefined>>;

/** How long a request waits for its whole answer. */
export const SERVICE_DEADLINE_MS = 15_000;
/** Uploads of organisations take longer. */
export const UPLOAD_DEADLINE_MS = 90_000;

/** A longer answer counts as none: the longest legitimate one names the organisations of the server. */
const MAX_ANSWER_BYTES = 8 * MEBIBYTE;

/** Sends requests to the push service. No method rejects, and none repeats a request. */
@Injectable()
export class PushServiceClient {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #base: string;
  readonly #fetch: OutboundFetch;

  constructor(
    @Inject(RELAY_SETTINGS) private readonly settings: RelaySettings,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    const { url, orgId, orgKey, proxy } = settings;
    this.#base = `${url}/api/v1/remotes`;
    this.#fetch = outboundFetch(proxy);
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${orgId}:${orgKey}`).toString('base64')}`,
      // Services log the version.
      'user-agent': `ZulipServer/${reportedVersion.zulip_version}`,
    };
  }

  /** The address of this server for clients. */
  get externalUrl(): URL {
    return new URL(this.settings.externalUrl);
  }

  /** Sends a form. `path` begins with a slash, as `/push/register`. */
  postForm(path: string, fields: FormFields, deadlineMs?: number): Promise<ServiceAnswer> {
    const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    );
    return this.#send(path, { method: 'POST', body: new URLSearchParams(given) }, deadlineMs);
  }

  /** Sends JSON. The answer may take `deadlineMs`, by default SERVICE_DEADLINE_MS. */
  postJson(path: string, body: unknown, deadlineMs?: number): Promise<ServiceAnswer> {
    const request = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    return this.#send(path, request, deadlineMs);
  }

  /** Sends a GET request. */
  get(path: string, deadlineMs: number): Promise<ServiceAnswer> {
    return this.#send(path, { method: 'GET' }, deadlineMs);
  }

  async #send(
    path: string,
    request: {
      readonly method: string;
      readonly body?: string | URLSearchParams;
      readonly headers?: Readonly<Record<string, string>>;
    },
    deadlineMs = SERVICE_DEADLINE_MS,
  ): Promise<ServiceAnswer> {
    const signal = AbortSignal.timeout(deadlineMs);
    let wasSent = false;
    const onSent = () => {
      wasSent = true;
    };
    try {
      const headers = { ...request.headers, ...this.#headers };
      const asked = { ...request, headers, signal, onSent };
      const response = await this.#fetch(`${this.#base}${path}`, asked);
      return answerOf(await responseOf(response), this.clock());
    } catch (error) {
      const fault = signal.aborted ? 'ReadTimeout' : connectionFaultOf(error);
      const isSignInRefused = error instanceof ProxyFault && error.isSignInRefused;
      return { kind: 'unreachable', fault, wasSent, ...(isSignInRefused && { isSignInRefused }) };
    }
  }
}

async function responseOf(response: Response): Promise<ServiceResponse> {
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_ANSWER_BYTES) return { status, retryAfter, text: '' };
    chunks.push(chunk);
  }
  return { status, retryAfter, text: Buffer.concat(chunks).toString('utf8') };
}
