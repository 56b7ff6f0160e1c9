import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { errorCode, parseJsonOrUndefined } from '#platform/core';
import {
  isPublicAddress,
  lookUpPublic,
  type OutboundFetch,
  outboundFetch,
  ProxyFault,
} from '#platform/outbound';
import { isTlsFault } from '#push/relay';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';

const DEADLINE_MS = 5000;
const ATTEMPTS = 3;
const LONGEST_ANSWER = 65_536;
const NOT_PREPARED = 'REMOTE_SERVER_VERIFICATION_SECRET_NOT_PREPARED';

/** The answer of a host: its secret, or the reason why it gave no secret. */
type HostAnswer =
  { readonly secret: unknown } | { readonly fault: string; readonly isRepeatable: boolean };

const failed = (fault: string, isRepeatable = false): HostAnswer => ({ fault, isRepeatable });
const communicating = (what: string): string => `${what} communicating with the host.`;

/** Asks a host for the secret of its transfer, over HTTPS. Follows no redirects. */
@Injectable()
export class HostVerifier {
  readonly #fetch: OutboundFetch;

  constructor(@Inject(TENANT_OPTIONS) private readonly options: TenantOptions) {
    const { allowsPrivateHosts, proxy } = options;
    this.#fetch = outboundFetch(proxy, {
      keepAlive: false,
      ...(!allowsPrivateHosts && { lookup: lookUpPublic }),
    });
  }

  /** Never rejects. */
  async ask(hostname: string, accessToken: string): Promise<HostAnswer> {
    const path = `/api/v1/zulip-services/verify/${encodeURIComponent(accessToken)}/`;
    const origin = `https://${hostname}`;
    // A host name that an earlier release stored may be invalid.
    if (!URL.canParse(origin)) return failed(communicating('Connection error occurred while'));
    const url = new URL(path, origin);
    const literal = url.hostname.replaceAll(/[[\]]/g, '');
    const { allowsPrivateHosts } = this.options;
    if (!allowsPrivateHosts && isIP(literal) > 0 && !isPublicAddress(literal)) {
      return failed(communicating('Connection error occurred while'));
    }
    let answer = failed('');
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      answer = await this.#askOnce(url);
      if ('secret' in answer || !answer.isRepeatable) return answer;
    }
    return answer;
  }

  async #askOnce(url: URL): Promise<HostAnswer> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    try {
      return await answerOf(await this.#fetch(url, { signal }));
    } catch (error) {
      return faultOf(error, signal);
    }
  }
}

async function answerOf(response: Response): Promise<HostAnswer> {
  const body = memberOf(await textOf(response));
  if (response.status === 200) {
    return body === null
      ? failed(communicating('An error occurred while'))
      : { secret: body['verification_secret'] };
  }
  return body?.['code'] === NOT_PREPARED
    ? failed('The host reported it has no verification secret.')
    : failed(`Error response received from the host: ${response.status}`);
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new Error('The answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function memberOf(text: string): Record<string, unknown> | null {
  const value = parseJsonOrUndefined(text);
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
]);

function faultOf(error: unknown, { aborted }: AbortSignal): HostAnswer {
  const code = String(errorCode(error));
  if (aborted || code === 'ETIMEDOUT') {
    return failed('The request timed out while communicating with the host.', true);
  }
  if (isTlsFault(code)) return failed(communicating('SSL error occurred while'));
  return error instanceof ProxyFault || CONNECTION_CODES.has(code)
    ? failed(communicating('Connection error occurred while'), true)
    : failed(communicating('An error occurred while'));
}
