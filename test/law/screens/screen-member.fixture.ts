import { ApiClient, type Credentials } from '#test/api-client';
import type { Reply } from '#test/http-request';
import type { Person } from '#test/organisation';

/** A person of the law. */
export class Member {
  api: ApiClient;
  isActive = true;
  /** The ids of event queues, of which some may have expired. */
  readonly queues: string[] = [];
  /** When the person reported activity first, in UNIX seconds; null: never. Presence may ignore later reports for a minute. */
  reportedAt: number | null = null;

  constructor(
    readonly person: Person,
    readonly name: string,
    private readonly place: { readonly gatewayUrl: string; readonly log: string[] },
  ) {
    this.api = this.#client(person);
  }

  get id(): number {
    return this.person.id;
  }

  /** The person signs in with a new API key from now on. */
  useKey(apiKey: string): void {
    this.api = this.#client({ ...this.person, api_key: apiKey });
  }

  #client({ email, api_key, host }: Credentials & { readonly host: string }): ApiClient {
    return new LoggedClient(this.place.gatewayUrl, { email, api_key, host }, this.place.log);
  }
}

/** Writes each request and its response into a log. */
class LoggedClient extends ApiClient {
  constructor(
    gatewayUrl: string,
    private readonly owner: Credentials,
    private readonly log: string[],
  ) {
    super(gatewayUrl, owner);
  }

  override async send(...request: Parameters<ApiClient['send']>): Promise<Reply> {
    const [method, path, { body = '' } = {}] = request;
    const reply = await super.send(...request);
    const time = new Date().toISOString().slice(11, 23);
    const who = this.owner.email.split('@')[0];
    const sent = decodeURIComponent(String(body).replaceAll('+', ' ')).slice(0, MAX_LOGGED);
    this.log.push(`${time} ${who} ${method} ${path} ${sent} -> ${reply.text.slice(0, MAX_LOGGED)}`);
    return reply;
  }
}

const MAX_LOGGED = 160;

/** Begins an event queue; a short one ends by itself within seconds. */
export const openQueue = (member: Member, isShort: boolean): Promise<Reply> =>
  member.api.post('/register', {
    event_types: ['message', 'update_message_flags'],
    fetch_event_types: [],
    ...(isShort && { idle_queue_timeout: SHORT_SECONDS }),
  });

const SHORT_SECONDS = 2;
