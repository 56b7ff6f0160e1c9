import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import type { Reply } from '#test/http-request';
import { Phone } from '#test/phone';
import type { Installation, Person } from './installation.js';

const MOST_FAILURES = 10;
/** A busy machine gets fewer requests in place of ones that wait until their deadline. */
const MOST_PENDING = 20;
/** Notifications of a worker that was killed are sent again once its lease has ended. */
const ARRIVAL_MS = 120_000;

/**
 * Requests at a constant rate, if the machine carries it, while a client holds polls and an iPhone and an Android phone of an absent person get a
 * notification of each message.
 */
export class Load {
  readonly failures: string[] = [];
  answered = 0;
  /** The longest time without an answer, in milliseconds. */
  longestGapMs = 0;
  readonly #confirmed = new Set<number>();
  #isOn = true;
  #lastAnswerAt = performance.now();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly installation: Installation,
    private readonly writer: Person,
    private readonly absent: Person,
    private readonly phones: readonly Phone[],
    private readonly client: EventClient,
    private readonly reader: Person,
  ) {}

  static async start(installation: Installation, perSecond: number): Promise<Load> {
    const [writer, reader, absent] = [
      await installation.addPerson('Ada'),
      await installation.addPerson('Bob'),
      await installation.addPerson('Carol'),
    ];
    const phones = [Phone.iphone(), Phone.android()];
    for (const phone of phones) await phone.register(absent.api);
    const client = await EventClient.register(reader.api, { event_types: ['message'] });
    const load = new Load(installation, writer, absent, phones, client, reader);
    load.#running = Promise.all([load.#send(perSecond), load.#poll()]);
    return load;
  }

  /**
   * The sandbox, which keeps the screens of the phones in its memory, has started again: they may have lost any message that was
   * confirmed until now.
   */
  phonesWereLost(): void {
    this.#lostUpTo = Math.max(this.#lostUpTo, ...this.#confirmed);
  }

  /** Ends it. Rejects unless each confirmed message has arrived once at the client and on each phone. */
  async end(): Promise<void> {
    this.#isOn = false;
    // Wakes the held poll.
    await eventually(() => this.#write('The end'));
    await this.#running;
    const ids = [...this.#confirmed].toSorted((one, other) => one - other);
    await eventually(async () => {
      this.#receive(await this.client.drain());
      expect(this.#received).toEqual(expect.arrayContaining(ids));
    }, ARRIVAL_MS);
    expect(new Set(this.#received).size).toBe(this.#received.length);
    for (const { token } of this.phones) {
      await eventually(async () => {
        const screen = await this.installation.sandbox.screenOf(token);
        const copies = new Map(
          (screen?.messages ?? []).map((one) => [Number(one.message_id), one.copies]),
        );
        const isRight = (id: number) =>
          copies.get(id) === 1 || (id <= this.#lostUpTo && !copies.has(id));
        expect(ids.filter((id) => !isRight(id))).toEqual([]);
      }, ARRIVAL_MS);
    }
  }

  #lostUpTo = 0;
  /** The ids of the messages, as often as they came. */
  readonly #received: number[] = [];

  /** A poll that was held for long ends with a heartbeat. */
  #receive(events: Awaited<ReturnType<EventClient['take']>>): void {
    const messages = events.filter(({ type }) => type === 'message');
    this.#received.push(...messages.map((event) => (event['message'] as { id: number }).id));
  }

  async #poll(): Promise<void> {
    while (this.#isOn) {
      try {
        this.#receive(await this.client.take());
      } catch (error) {
        this.#fail(`poll: ${String(error)}`);
        await delay(100);
      }
    }
  }

  async #send(perSecond: number): Promise<void> {
    const requests = [
      () => this.writer.api.get('/users/me'),
      () => this.reader.api.post('/users/me/presence', { status: 'active', last_update_id: -1 }),
      () => this.#write('Still there?'),
    ];
    const pending = new Set<Promise<void>>();
    for (let turn = 0; this.#isOn; turn += 1) {
      const request = this.#ask(requests[turn % requests.length] ?? (() => this.#write('')));
      pending.add(request);
      void request.finally(() => pending.delete(request));
      await delay(1000 / perSecond);
      if (pending.size >= MOST_PENDING) await Promise.race(pending);
    }
    await Promise.all(pending);
  }

  async #write(content: string): Promise<Reply> {
    const to = [this.reader.id, this.absent.id];
    const reply = await this.writer.api.post('/messages', { type: 'direct', to, content });
    if (reply.status === 200) this.#confirmed.add(Number(reply.body['id']));
    return reply;
  }

  async #ask(request: () => Promise<Reply>): Promise<void> {
    try {
      const reply = await request();
      if (reply.status !== 200) return this.#fail(`${reply.status} ${reply.text}`);
      this.answered += 1;
      this.longestGapMs = Math.max(this.longestGapMs, performance.now() - this.#lastAnswerAt);
      this.#lastAnswerAt = performance.now();
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #failed = 0;

  #fail(text: string): void {
    this.#failed += 1;
    if (this.failures.length < MOST_FAILURES) this.failures.push(text);
  }

  /** What happened, for the progress. */
  get summary(): string {
    const gap = Math.round(this.longestGapMs);
    return `${this.answered} answered, ${this.#failed} failed, longest gap ${gap} ms`;
  }
}
