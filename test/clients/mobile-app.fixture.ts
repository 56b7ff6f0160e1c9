import { z } from 'zod';
import { ApiClient, type Credentials, encodeForm, type Fields } from '#test/api-client';
import type { ReceivedEvent } from '#test/event-client';
import type { Reply } from '#test/http-request';
import { mobileState } from '../integration/registered-state.fixture.js';
import { answers } from './mobile-answers.fixture.js';
import {
  type EventName,
  type events,
  isKnown,
  nameOf,
  parseEvent,
} from './mobile-events.fixture.js';

const USER_AGENT = 'ZulipFlutter/30.0.273 (Android 16)';

/** The capabilities of the app; it has no others. */
export const appCapabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  include_deactivated_groups: true,
  empty_topic_name: true,
  individual_emoji_changes: true,
};

type AnswerName = keyof typeof answers;
type Answer<Name extends AnswerName> = z.infer<(typeof answers)[Name]>;
type EventOf<Name extends EventName> = z.infer<(typeof events)[Name]>;

const polled = z.object({
  events: z.array(z.looseObject({ id: z.int(), type: z.string(), op: z.string().optional() })),
});

/** The mobile app with one account: it sends what the app sends, and refuses what the app could not parse. */
export class MobileApp {
  readonly #api: ApiClient;
  #queueId = '';
  #lastEventId = -1;
  /** Received and not yet awaited. */
  #pending: ReceivedEvent[] = [];

  constructor(gatewayUrl: string, credentials: Credentials | null = null) {
    this.#api = new ApiClient(gatewayUrl, credentials);
  }

  get queueId(): string {
    return this.#queueId;
  }

  /** Parses an answer. Throws ZodError for one that the app does not understand, also for a refusal. */
  async ask<Name extends AnswerName>(
    name: Name,
    request: string,
    fields: Fields = {},
  ): Promise<Answer<Name>> {
    const { body } = await this.send(request, fields);
    // The schema of this name has just parsed it.
    return answers[name].parse(body, { reportInput: true }) as Answer<Name>;
  }

  /** Sends a request, for example `POST /messages`. */
  send(request: string, fields: Fields = {}): Promise<Reply> {
    const [method = '', path = ''] = request.split(' ');
    const form = encodeForm(fields);
    if (method === 'GET') {
      return this.#api.send(method, `${path}?${form}`, { headers: { 'user-agent': USER_AGENT } });
    }
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#api.send(method, path, {
      headers: { ...type, 'user-agent': USER_AGENT },
      body: form,
    });
  }

  async register(): Promise<z.infer<typeof mobileState>> {
    const { body } = await this.send('POST /register', {
      apply_markdown: true,
      slim_presence: true,
      client_gravatar: false,
      client_capabilities: appCapabilities,
      include_subscribers: false,
      idle_queue_timeout: '"mobile"',
    });
    const state = mobileState.parse(body);
    this.#queueId = state.queue_id;
    this.#lastEventId = state.last_event_id;
    this.#pending = [];
    return state;
  }

  /** Polls as the app does until there is an event of this name, which it parses like all others on the way. */
  async next<Name extends EventName>(
    name: Name,
    isWanted: (event: EventOf<Name>) => boolean = () => true,
  ): Promise<EventOf<Name>> {
    // A poll without an answer for too long rejects.
    for (;;) {
      for (const [index, event] of this.#pending.entries()) {
        if (nameOf(event) !== name) continue;
        // The schema of this name parsed it when it arrived.
        const typed = event as unknown as EventOf<Name>;
        if (!isWanted(typed)) continue;
        this.#pending.splice(index, 1);
        return typed;
      }
      await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    const poll = { queue_id: this.#queueId, last_event_id: this.#lastEventId };
    const { body } = await this.send('GET /events', poll);
    for (const event of polled.parse(body).events) {
      if (event.id <= this.#lastEventId) throw new Error(`The event ${event.id} came twice.`);
      this.#lastEventId = event.id;
      if (!isKnown(nameOf(event))) {
        throw new Error(`The app does not expect ${JSON.stringify(event)}.`);
      }
      parseEvent(event);
      this.#pending.push(event);
    }
  }
}
