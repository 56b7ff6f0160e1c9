import type { ApiClient, Fields } from './api-client.js';
import type { Reply } from './http-request.js';

/** An event as a client gets it. */
export interface ReceivedEvent {
  readonly id: number;
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The events of an answer. Throws Error for an answer without events. */
export function eventsOf({ status, body }: Reply): ReceivedEvent[] {
  if (status !== 200) throw new Error(`The poll was answered ${status}: ${JSON.stringify(body)}`);
  return body['events'] as ReceivedEvent[];
}

/** A client with one queue, which acknowledges every event that it receives. */
export class EventClient {
  /** The ids in the order of their arrival. */
  readonly ids: number[] = [];

  private constructor(
    private readonly api: ApiClient,
    readonly queueId: string,
    /** The whole answer of the registration. */
    readonly state: Readonly<Record<string, unknown>>,
    public lastEventId: number,
  ) {}

  static async register(api: ApiClient, fields: Fields = {}): Promise<EventClient> {
    const { status, body } = await api.post('/register', fields);
    if (status !== 200) throw new Error(`Registered with ${status}: ${JSON.stringify(body)}`);
    return new EventClient(api, String(body['queue_id']), body, Number(body['last_event_id']));
  }

  /** One poll, without an acknowledgement. */
  poll(fields: Fields = {}): Promise<Reply> {
    const query = { queue_id: this.queueId, last_event_id: this.lastEventId, ...fields };
    return this.api.get('/events', query);
  }

  /** The events of one poll that may wait; they count as processed. */
  async take(fields: Fields = {}): Promise<ReceivedEvent[]> {
    const events = eventsOf(await this.poll(fields));
    for (const { id } of events) this.ids.push(id);
    this.lastEventId = Math.max(this.lastEventId, ...events.map(({ id }) => id));
    return events;
  }

  /** The events of as many polls as it takes to get a number of them. */
  async takeAtLeast(count: number): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    while (events.length < count) events.push(...(await this.take()));
    return events;
  }

  /** All events that are there now. */
  async drain(): Promise<ReceivedEvent[]> {
    const all: ReceivedEvent[] = [];
    for (;;) {
      const events = await this.take({ dont_block: true });
      if (events.length === 0) return all;
      all.push(...events);
    }
  }
}
