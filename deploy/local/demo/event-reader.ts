import type { Actor, Body, DemoApi, Fields } from './demo-api.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';

/** An event of a queue. */
export type DemoEvent = Body & { readonly id: number; readonly type: string };

const DEADLINE_MS = 10_000;

/** An event queue of an actor, as a client has it. */
export class EventReader {
  #lastEventId: number;

  private constructor(
    private readonly api: DemoApi,
    private readonly printer: DemoPrinter,
    readonly actor: Actor,
    private readonly queue: Body,
  ) {
    this.#lastEventId = Number(queue['last_event_id']);
  }

  /** Registers a queue, and prints the request; the state of the organisation is too long to print. */
  static async register(
    api: DemoApi,
    printer: DemoPrinter,
    actor: Actor,
    fields: Fields,
  ): Promise<EventReader> {
    const route = ['POST', '/register'] as const;
    printer.request(actor.name, route, fields);
    const { status, body } = await api.ask(actor, route, fields);
    if (status !== 200) throw new DemoMismatch('A queue', `${status} ${JSON.stringify(body)}`);
    const { queue_id: id, last_event_id: last } = body;
    printer.answer(status, { queue_id: id, last_event_id: last, '…': Object.keys(body).length });
    const reader = new EventReader(api, printer, actor, body);
    // Typing is kept for queues that have polled before.
    await reader.#poll({ dont_block: 'true' });
    return reader;
  }

  /** Polls until the event, and prints the text that `show` makes of it. Rejects with DemoMismatch if it does not come. */
  async expect(
    type: string,
    isExpected: (event: DemoEvent) => boolean,
    show: (event: DemoEvent) => string,
  ): Promise<DemoEvent> {
    const deadline = Date.now() + DEADLINE_MS;
    while (Date.now() < deadline) {
      for (const event of await this.#poll()) {
        this.#lastEventId = Math.max(this.#lastEventId, event.id);
        if (event.type !== type || !isExpected(event)) continue;
        this.printer.seen(`${this.actor.name} gets the event "${type}": ${show(event)}`);
        return event;
      }
    }
    throw new DemoMismatch(`${this.actor.name} gets an event "${type}"`, 'no such event');
  }

  async end(): Promise<void> {
    await this.api.ask(this.actor, ['DELETE', '/events'], { queue_id: this.#queueId });
  }

  get #queueId(): string {
    return String(this.queue['queue_id']);
  }

  async #poll(options: Fields = {}): Promise<DemoEvent[]> {
    const queue = { queue_id: this.#queueId, last_event_id: String(this.#lastEventId) };
    const fields = { ...queue, ...options };
    const { status, body } = await this.api.ask(this.actor, ['GET', '/events'], fields);
    if (status !== 200) throw new DemoMismatch('Events', `${status} ${JSON.stringify(body)}`);
    return body['events'] as DemoEvent[];
  }
}
