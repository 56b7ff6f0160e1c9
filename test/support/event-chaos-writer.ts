import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';
import { isUnavailable } from './event-chaos-client.js';
import { changes } from './event-chaos-state.js';
import type { Reply } from './http-request.js';

const RETRY_MS = 50;
/** A writer deletes its oldest snippet beyond this number. */
const MAX_SNIPPETS = 3;

/** Changes snippets and a setting of an account, one request after another. */
export class EventChaosWriter {
  /** The changes of snippets, and the messages, whose requests succeeded, in order. */
  readonly confirmed: string[] = [];
  /** The changes whose requests had no answer: they may have happened. */
  readonly uncertain = new Set<string>();
  readonly refused: string[] = [];
  /** The messages among the confirmed changes. */
  readonly sent: string[] = [];
  readonly #snippetIds: number[] = [];
  #number = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly name: string,
    /** Of the writers of one account, one changes the setting. */
    private readonly changesSetting: boolean,
    /** The accounts that get its messages. */
    private readonly recipients: readonly number[],
  ) {}

  async writeUntil(signal: AbortSignal, pauseMs: number): Promise<void> {
    while (!signal.aborted) {
      await this.#turn();
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  /** Adds a snippet with this title, and repeats the request until it succeeds. */
  async finish(title: string): Promise<void> {
    while ((await this.#add(title)) === null);
  }

  async #turn(): Promise<void> {
    const added = await this.#add();
    if (added !== null) {
      this.#snippetIds.push(added);
      const title = this.#title();
      await this.#send(changes.edited(title), () =>
        this.api.patch(`/saved_snippets/${added}`, { title }),
      );
    }
    await this.#sendMessage();
    if (this.changesSetting) await this.#toggle();
    const oldest = this.#snippetIds.length > MAX_SNIPPETS ? this.#snippetIds.shift() : undefined;
    if (oldest === undefined) return;
    await this.#send(changes.removed(oldest), () => this.api.delete(`/saved_snippets/${oldest}`));
  }

  async #sendMessage(): Promise<void> {
    const content = this.#title();
    const sent = await this.#send(changes.sent(content), () =>
      this.api.post('/messages', { type: 'direct', to: this.recipients, content }),
    );
    if (sent !== null) this.sent.push(changes.sent(content));
  }

  async #add(title = this.#title()): Promise<number | null> {
    const reply = await this.#send(changes.added(title), () =>
      this.api.post('/saved_snippets', { title, content: 'x' }),
    );
    return reply === null ? null : Number(reply.body['saved_snippet_id']);
  }

  async #toggle(): Promise<void> {
    const value = this.#number % 2 === 0;
    const reply = await this.api
      .patch('/settings', { twenty_four_hour_time: value })
      .catch(() => null);
    this.#noteRefusal('a setting', reply);
  }

  /** Resolves with null without a success. */
  async #send(change: string, request: () => Promise<Reply>): Promise<Reply | null> {
    const reply = await request().catch(() => null);
    if (reply?.status === 200) {
      this.confirmed.push(change);
      return reply;
    }
    this.uncertain.add(change);
    this.#noteRefusal(change, reply);
    await delay(RETRY_MS);
    return null;
  }

  #noteRefusal(change: string, reply: Reply | null): void {
    if (reply === null || reply.status === 200 || isUnavailable(reply)) return;
    this.refused.push(`${change}: ${reply.status} ${reply.text}`);
  }

  #title(): string {
    this.#number += 1;
    return `${this.name} ${this.#number}`;
  }
}
