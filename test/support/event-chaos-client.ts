import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';
import { changeOf, ChangedState } from './event-chaos-state.js';
import { EventClient, eventsOf, type ReceivedEvent } from './event-client.js';
import type { Reply } from './http-request.js';

const RETRY_MS = 50;

/** A client that polls without a pause, through every fault, and applies the events to its state. */
export class EventChaosClient {
  /** The changes of snippets, and the messages, in the order of their arrival. */
  readonly changes: string[] = [];
  /** Answers that no fault explains, such as `BAD_EVENT_QUEUE_ID`. */
  readonly refused: string[] = [];
  /** Ids that are not above the one before. */
  readonly wentBack: number[] = [];
  /** Polls without an answer, or with one of a gateway that could not serve it. */
  interruptions = 0;
  readonly state: ChangedState;
  #lastId: number;

  private constructor(
    private readonly events: EventClient,
    private readonly api: ApiClient,
  ) {
    this.state = new ChangedState(events.state);
    this.#lastId = events.lastEventId;
  }

  static async register(api: ApiClient): Promise<EventChaosClient> {
    return new EventChaosClient(await EventClient.register(api, OPTIONS), api);
  }

  /** Polls until this change arrives. */
  async pollUntil(lastChange: string): Promise<void> {
    while (this.changes.at(-1) !== lastChange && this.refused.length === 0) await this.#poll();
  }

  /** The state of a new registration. */
  async freshState(): Promise<ChangedState> {
    return new ChangedState((await EventClient.register(this.api, OPTIONS)).state);
  }

  /** The events that are there although the client has received all. */
  async rest(): Promise<ReceivedEvent[]> {
    return eventsOf(await this.events.poll({ dont_block: true }));
  }

  async #poll(): Promise<void> {
    const reply = await this.events.poll().catch(() => null);
    if (reply === null || isUnavailable(reply)) {
      this.interruptions += 1;
      await delay(RETRY_MS);
      return;
    }
    if (reply.status !== 200) {
      this.refused.push(`${reply.status} ${reply.text}`);
      return;
    }
    for (const event of eventsOf(reply)) this.#take(event);
  }

  #take(event: ReceivedEvent): void {
    if (event.id <= this.#lastId) this.wentBack.push(event.id);
    this.#lastId = event.id;
    this.events.lastEventId = event.id;
    if (event.type === 'heartbeat') return;
    const change = changeOf(event);
    if (change !== null) this.changes.push(change);
    this.state.apply(event);
  }
}

const OPTIONS = {
  apply_markdown: false,
  event_types: ['saved_snippets', 'user_settings', 'message'],
  client_capabilities: { user_settings_object: true },
};

/** Whether a gateway that starts, stops or has lost its stores may answer so; 500 would be an error of the program. */
export const isUnavailable = ({ status }: Reply): boolean => status === 502 || status === 503;
