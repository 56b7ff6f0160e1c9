import { randomBytes, randomUUID } from 'node:crypto';
import { ApiClient, type Fields } from './api-client.js';
import type { Reply } from './http-request.js';

/** A server of another installation, which sends its notifications through the push service of a gateway. */
export class RemoteServer {
  readonly id = randomUUID();
  readonly hostname = `${randomUUID()}.chat.test`;
  key = randomBytes(32).toString('hex');
  /** Its organisation. */
  readonly realm = randomUUID();

  constructor(private readonly gatewayUrl: string) {}

  /** A server that has registered, and has uploaded its organisation. */
  static async register(gatewayUrl: string): Promise<RemoteServer> {
    const server = new RemoteServer(gatewayUrl);
    for (const reply of [await server.signUp(), await server.upload()]) {
      if (reply.status !== 200) throw new Error(`The server was not registered: ${reply.text}`);
    }
    return server;
  }

  /** Sends a registration, with these parameters in place of its own. */
  signUp(fields: Fields = {}): Promise<Reply> {
    return new ApiClient(this.gatewayUrl).post('/remotes/server/register', {
      zulip_org_id: this.id,
      zulip_org_key: this.key,
      hostname: this.hostname,
      contact_email: `admin@${this.hostname}`,
      ...fields,
    });
  }

  /** Uploads organisations and no statistics, with these fields in place of its own. */
  upload(fields: Fields = {}): Promise<Reply> {
    return this.post('/server/analytics', {
      realm_counts: [],
      installation_counts: [],
      realmauditlog_rows: [],
      realms: [this.describeRealm()],
      version: JSON.stringify('12.1'),
      api_feature_level: 500,
      ...fields,
    });
  }

  /** An organisation as it is uploaded. */
  describeRealm(uuid: string = this.realm) {
    return {
      id: 2,
      uuid,
      uuid_owner_secret: `secret of ${uuid}`,
      host: this.hostname,
      url: `https://${this.hostname}`,
      name: 'Remote',
      org_type: 10,
      date_created: 1_700_000_000.25,
      deactivated: false,
      is_system_bot_realm: false,
      authentication_methods: { Email: true },
    };
  }

  get(path: string): Promise<Reply> {
    return this.#client().get(`/remotes${path}`);
  }

  /** Sends a form to a path below `/remotes`. */
  post(path: string, fields: Fields = {}): Promise<Reply> {
    return this.#client().post(`/remotes${path}`, fields);
  }

  /** Sends JSON to a path below `/remotes`. */
  postJson(path: string, body: unknown): Promise<Reply> {
    return this.#client().send('POST', `/remotes${path}`, {
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  #client(): ApiClient {
    return new ApiClient(this.gatewayUrl, { email: this.id, api_key: this.key });
  }
}
