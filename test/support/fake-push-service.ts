import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  isOutOfTime,
  makeServiceKeyPair,
  openSealed,
  parseSealedToken,
  type ServiceKeyPair,
  tokenIdOf,
} from '#push/encryption';

/** A request to the service, after its sign-in. */
interface ServiceRequest {
  /** Behind `/api/v1/remotes`. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The fields of a form, or the members of JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What goes wrong with a request. `done`: the service carries the request out before. */
export type ServiceFault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly done?: boolean;
    }
  | { readonly kind: 'cut' | 'hang'; readonly done?: boolean };

interface LegacyRow {
  readonly user: string;
  readonly token: string;
  readonly kind: string;
}

interface EncryptedPayload {
  readonly token: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whether the sender got the answer. */
  readonly isConfirmed: boolean;
}

const success = { result: 'success', msg: '' };

const error = (status: number, code: string, msg: string) => ({
  status,
  body: { result: 'error', code, msg },
});

type Reply = { readonly status: number; readonly body: object };

const ok = (fields: object = {}): Reply => ({ status: 200, body: { ...success, ...fields } });

/** The answer of a service that is being restarted. */
export const serviceAway: ServiceFault = { kind: 'answer', status: 503, body: '' };

/** A push service, written from the protocol. It compares tokens exactly, keeps its state in memory and sends nothing. */
export class FakePushService {
  readonly orgId = randomUUID();
  readonly orgKey = randomBytes(32).toString('hex');
  readonly keys: ServiceKeyPair = makeServiceKeyPair();
  readonly requests: ServiceRequest[] = [];
  readonly realms = new Map<string, Readonly<Record<string, unknown>>>();
  /** By organisation and token id. */
  readonly encrypted = new Map<string, { readonly token: string; readonly kind: string }>();
  readonly legacy: LegacyRow[] = [];
  /** Encrypted payloads that were sent. */
  readonly sent: EncryptedPayload[] = [];
  /** The bodies of `push/notify` with the tokens that they were sent to. */
  readonly notified: {
    readonly tokens: readonly string[];
    readonly body: ServiceRequest['fields'];
    readonly isConfirmed: boolean;
  }[] = [];
  /** Tokens that providers call dead. */
  readonly dead = new Set<string>();
  canPush: object = { can_push: true, expected_end_timestamp: null };
  /** Called for each request; null lets it pass. */
  fault: (request: ServiceRequest) => ServiceFault | null = () => null;
  #port = 0;
  #isConfirmed = true;

  private constructor(private server: Server) {}

  static async start(): Promise<FakePushService> {
    const service = new FakePushService(createServer());
    await service.listen();
    return service;
  }

  /** Lets the requests whose path begins so fail, by default with 503, until `fault` is set again. */
  failAt(prefix: string, fault: ServiceFault = serviceAway): void {
    this.fault = ({ path }) => (path.startsWith(prefix) ? fault : null);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The settings of a server that relays here. */
  get settings() {
    const { url, orgId, orgKey } = this;
    return { url, orgId, orgKey, externalUrl: 'https://chat.example.org' };
  }

  get publicKey(): string {
    return this.keys.publicKey.toString('base64');
  }

  /** Listens again on the same port. */
  async listen(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.#handle(request, response);
    });
    this.server.listen(this.#port, '127.0.0.1');
    await once(this.server, 'listening');
    // A TCP server has an address of this form.
    this.#port = (this.server.address() as AddressInfo).port;
  }

  /** Ends all connections: requests without an answer fail. */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  /** Refuses connections from now on. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  of(path: string): ServiceRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming).catch(() => null);
    if (body === null) return;
    const path = (incoming.url ?? '').replace(/^\/api\/v1\/remotes/, '');
    const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
    const fields = isJson
      ? (JSON.parse(body) as Record<string, unknown>)
      : Object.fromEntries(new URLSearchParams(body));
    const request = { path, headers: incoming.headers, fields };
    this.requests.push(request);
    const fault = this.fault(request);
    this.#isConfirmed = fault === null;
    const reply = fault === null || fault.done === true ? this.#answer(request) : null;
    if (fault?.kind === 'cut') incoming.socket.destroy();
    else if (fault?.kind === 'answer') {
      response.writeHead(fault.status, fault.headers).end(fault.body);
    } else if (reply !== null && fault === null) {
      response
        .writeHead(reply.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(reply.body));
    }
  }

  #answer(request: ServiceRequest): Reply {
    const wanted = Buffer.from(`${this.orgId}:${this.orgKey}`).toString('base64');
    if (request.headers.authorization !== `Basic ${wanted}`) {
      return error(401, 'UNAUTHORIZED', 'Zulip server auth failure');
    }
    const { fields } = request;
    switch (request.path) {
      case '/server/analytics/status':
        return ok({
          last_realm_count_id: 0,
          last_installation_count_id: 0,
          last_realmauditlog_id: 0,
        });
      case '/server/analytics':
        return this.#upload(fields);
      case '/push/register':
        return this.#register(fields);
      case '/push/unregister':
        return this.#unregister(fields);
      case '/push/unregister/all':
        this.#remove(({ user }) => user === fields['user_uuid']);
        return ok();
      case '/push/notify':
        return this.#notify(fields);
      case '/push/test_notification':
        return this.legacy.some(
          ({ user, token }) => user === fields['user_uuid'] && token === fields['token'],
        )
          ? ok()
          : error(
              400,
              'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
              'Device not recognized by the push bouncer',
            );
      case '/push/e2ee/register':
        return this.#registerEncrypted(fields);
      case '/push/e2ee/notify':
        return this.#notifyEncrypted(fields);
      default:
        return error(404, 'BAD_REQUEST', `No such endpoint: ${request.path}`);
    }
  }

  #upload(fields: ServiceRequest['fields']): Reply {
    const realms = JSON.parse(String(fields['realms'])) as Record<string, unknown>[];
    for (const realm of realms) this.realms.set(String(realm['uuid']), realm);
    return ok({
      realms: Object.fromEntries(realms.map(({ uuid }) => [String(uuid), this.canPush])),
    });
  }

  #register(fields: ServiceRequest['fields']): Reply {
    const [user, token] = [String(fields['user_uuid']), String(fields['token'])];
    this.#remove((row) => row.user === user && row.token === token);
    this.legacy.push({ user, token, kind: String(fields['token_kind']) });
    return ok();
  }

  #unregister(fields: ServiceRequest['fields']): Reply {
    const before = this.legacy.length;
    this.#remove(({ user, token }) => user === fields['user_uuid'] && token === fields['token']);
    return this.legacy.length < before ? ok() : error(400, 'BAD_REQUEST', 'Token does not exist');
  }

  #remove(isGone: (row: LegacyRow) => boolean): void {
    this.legacy.splice(0, this.legacy.length, ...this.legacy.filter((row) => !isGone(row)));
  }

  #notify(fields: ServiceRequest['fields']): Reply {
    const rows = this.legacy.filter(({ user }) => user === fields['user_uuid']);
    this.notified.push({
      tokens: rows.map(({ token }) => token),
      body: fields,
      isConfirmed: this.#isConfirmed,
    });
    this.#remove(({ token }) => this.dead.has(token));
    const left = new Set(this.legacy.map(({ token }) => token));
    const missing = (list: unknown) => (list as string[]).filter((token) => !left.has(token));
    return ok({
      total_android_devices: rows.filter(({ kind }) => kind === '2').length,
      total_apple_devices: rows.filter(({ kind }) => kind === '1').length,
      deleted_devices: {
        android_devices: missing(fields['android_devices']),
        apple_devices: missing(fields['apple_devices']),
      },
      realm: this.canPush,
    });
  }

  #registerEncrypted(fields: ServiceRequest['fields']): Reply {
    const realm = String(fields['realm_uuid']);
    if (!this.realms.has(realm)) {
      return error(403, 'MISSING_REMOTE_REALM', 'Organization not registered');
    }
    if (fields['bouncer_public_key'] !== this.publicKey) {
      return error(400, 'INVALID_BOUNCER_PUBLIC_KEY', 'Invalid bouncer_public_key');
    }
    const bytes = Buffer.from(String(fields['encrypted_push_registration']), 'base64');
    const plain = openSealed(this.keys, bytes);
    const sealed = plain === null ? null : parseSealedToken(plain);
    if (sealed === null || tokenIdOf(sealed.token).toString('base64') !== fields['token_id']) {
      return error(
        400,
        'INVALID_ENCRYPTED_PUSH_REGISTRATION',
        'Invalid encrypted_push_registration',
      );
    }
    if (isOutOfTime(sealed, Math.floor(Date.now() / 1000))) {
      return error(400, 'REQUEST_EXPIRED', 'Request expired');
    }
    const row = { token: sealed.token, kind: sealed.platform };
    this.encrypted.set(`${realm} ${String(fields['token_id'])}`, row);
    return ok();
  }

  #notifyEncrypted(fields: ServiceRequest['fields']): Reply {
    const realm = String(fields['realm_uuid']);
    if (!this.realms.has(realm)) {
      return error(403, 'MISSING_REMOTE_REALM', 'Organization not registered');
    }
    const deleted: string[] = [];
    const requests = fields['push_requests'] as {
      readonly token_id: string;
      readonly payload: Readonly<Record<string, unknown>>;
    }[];
    for (const { token_id: id, payload } of requests) {
      const row = this.encrypted.get(`${realm} ${id}`);
      if (row === undefined || this.dead.has(row.token)) deleted.push(id);
      else this.sent.push({ token: row.token, payload, isConfirmed: this.#isConfirmed });
    }
    return ok({
      apple_successfully_sent_count: 0,
      android_successfully_sent_count: 0,
      delete_token_ids: deleted,
      realm_push_status: this.canPush,
    });
  }
}
