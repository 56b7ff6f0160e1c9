import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '#platform/core';
import type { OutboundProxy } from '#platform/outbound';
import { type FormFields, PushServiceClient } from '../push-service-client.js';
import { legacyErrorOf } from '../service-answer.rules.js';
import type { TransferSecrets } from './transfer-secrets.js';

/** The sign-in of this server at the push service. */
export interface ServiceSignIn {
  readonly orgId: string;
  /** Secret. */
  readonly orgKey: string;
}

const registered = z.object({ created: z.boolean() });
const begun = z.object({ verification_secret: z.string().max(4096) });
const transferred = z.object({
  zulip_org_id: z.string().length(36),
  zulip_org_key: z.string().length(64),
});

/** The service asks this server three times, for five seconds each. */
const TRANSFER_DEADLINE_MS = 30_000;

/** A new id and key, for a server that has none. */
export const makeServiceSignIn = (): ServiceSignIn => ({
  orgId: randomUUID(),
  orgKey: randomBytes(32).toString('hex'),
});

/** Registers this server at the push service of another one. Every method rejects with ApiError when the service refuses. */
export class RelayRegistration {
  readonly #client: PushServiceClient;

  /** `proxy` is the way to the service; undefined for a direct one. */
  constructor(url: string, proxy?: OutboundProxy) {
    const settings = { url, orgId: '', orgKey: '', externalUrl: url, proxy };
    this.#client = new PushServiceClient(settings, systemClock);
  }

  /** Registers the server, or changes its host and its contact address. Resolves with whether it is new. */
  async register(
    { orgId, orgKey }: ServiceSignIn,
    { hostname, contactEmail }: { readonly hostname: string; readonly contactEmail: string },
  ): Promise<boolean> {
    const fields = {
      zulip_org_id: orgId,
      zulip_org_key: orgKey,
      hostname,
      contact_email: contactEmail,
    };
    return (await this.#post('/server/register', fields, registered)).created;
  }

  /**
   * Proves that this server has its host, and resolves with its id and a new key: the earlier one is no longer valid. A
   * gateway must serve `secrets` at that host.
   */
  async transfer(hostname: string, secrets: Pick<TransferSecrets, 'put'>): Promise<ServiceSignIn> {
    const begin = await this.#post('/server/register/transfer', { hostname }, begun);
    const accessToken = randomBytes(32).toString('base64url');
    await secrets.put(accessToken, begin.verification_secret);
    const end = await this.#post(
      '/server/register/verify_challenge',
      { hostname, access_token: accessToken },
      transferred,
    );
    return { orgId: end.zulip_org_id, orgKey: end.zulip_org_key };
  }

  async #post<Shape extends z.ZodType>(
    path: string,
    fields: FormFields,
    shape: Shape,
  ): Promise<z.infer<Shape>> {
    const answer = await this.#client.postForm(path, fields, TRANSFER_DEADLINE_MS);
    if (answer.kind !== 'ok') throw legacyErrorOf(answer);
    const parsed = shape.safeParse(answer.body);
    if (!parsed.success) throw legacyErrorOf({ kind: 'unexpected', status: 200 });
    return parsed.data;
  }
}
