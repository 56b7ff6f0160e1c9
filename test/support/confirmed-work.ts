import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, encodeForm } from './api-client.js';
import { eventually } from './eventually.js';
import type { Reply } from './http-request.js';
import { addOrganisation } from './organisation.js';
import { Phone } from './phone.js';
import {
  messageIdsOf,
  parseDelivery,
  PhoneNotifications,
  type Reader,
} from './phone-notifications.js';
import type { System } from './start-system.js';

/** Between the requests of a person: a busy machine must have time for the programs. */
const PAUSE_MS = 20;
const REPEAT_MS = 200;
const ARRIVAL_DEADLINE_MS = 120_000;

/** An account with phones that show its notifications. */
type PhoneOwner = Pick<Reader, 'id' | 'iphone' | 'android'>;

interface Pair {
  readonly writer: Credentials;
  readonly reader: PhoneOwner;
}

interface Confirmed {
  readonly id: number;
  readonly content: string;
  readonly reader: PhoneOwner;
}

/** What became of the confirmed work. */
interface WorkResult {
  readonly confirmed: number;
  /** Messages that were confirmed and are not stored. */
  readonly lost: readonly string[];
  /** Messages that are stored more than once. */
  readonly twice: readonly string[];
  /** Notifications that a phone has shown more than once. */
  readonly shownTwice: number;
}

/**
 * Writers who send messages to readers with phones, report their presence and read, one request after another. A message
 * is repeated with the same Idempotency-Key until it is confirmed.
 */
export class ConfirmedWork {
  /** The requests without success, in words. */
  readonly failures: string[] = [];
  readonly #confirmed: Confirmed[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOn = false;

  private constructor(
    private readonly system: System,
    private readonly people: readonly Pair[],
  ) {}

  static async prepare(system: System, pairs: number): Promise<ConfirmedWork> {
    const phones = new PhoneNotifications(system, await addOrganisation(system));
    const people: Pair[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const writer = await phones.organisation.addPerson();
      people.push({ writer, reader: await phones.addReader() });
    }
    return new ConfirmedWork(system, people);
  }

  /** Between accounts of the demo organisation, through a gateway that runs at `url`. */
  static async ofDemo(
    system: System,
    names: readonly string[],
    url: string,
  ): Promise<ConfirmedWork> {
    const people: Pair[] = [];
    for (const [index, name] of names.entries()) {
      const writer = system.user(name);
      const { user_id: id, ...reader } = system.user(names[(index + 1) % names.length] ?? '');
      const api = system.api(reader, url);
      // A reader who is active is notified too.
      await api.patch('/settings', { enable_online_push_notifications: true });
      const iphone = await Phone.iphone().register(api);
      const android = await Phone.android().register(api);
      people.push({ writer, reader: { id, iphone, android } });
    }
    return new ConfirmedWork(system, people);
  }

  /** The number of confirmed messages so far. */
  get confirmed(): number {
    return this.#confirmed.length;
  }

  /** Begins to send through the gateway or the balancer at `url`. */
  begin(url = this.system.gatewayUrl): void {
    this.#isOn = true;
    this.#running = Promise.all(this.people.map((pair) => this.#work(pair, url)));
  }

  /** Resolves when `count` more messages are confirmed. */
  async untilMore(count: number, deadlineMs = 60_000): Promise<void> {
    const enough = this.confirmed + count;
    await eventually(async () => {
      if (this.confirmed < enough) {
        const last = this.failures.slice(-3).join('; ');
        throw new Error(`${this.confirmed} of ${enough} messages are confirmed. ${last}`);
      }
    }, deadlineMs);
  }

  /** Resolves when every begun message is confirmed. */
  async end(): Promise<void> {
    this.#isOn = false;
    await this.#running;
  }

  /** Waits until the phones have shown each confirmed message, and compares with the stored messages. */
  async result(): Promise<WorkResult> {
    const { prisma } = this.system.database.database;
    const contents = this.#confirmed.map(({ content }) => content);
    const rows = await prisma.message.findMany({ where: { content: { in: contents } } });
    const counts = new Map<string, number>();
    for (const { content } of rows) counts.set(content, (counts.get(content) ?? 0) + 1);
    let shownTwice = 0;
    for (const { reader } of this.people) {
      const ids = this.#confirmed.filter((one) => one.reader === reader).map(({ id }) => id);
      for (const phone of [reader.iphone, reader.android]) {
        shownTwice += await eventually(async () => {
          const shown = messageIdsOf(
            (await this.system.sandbox.shownOn(phone.token)).map(parseDelivery),
          );
          const missing = ids.filter((id) => !shown.includes(id));
          if (missing.length > 0) {
            throw new Error(`${phone.platform} has not shown ${missing.slice(0, 5).join()}`);
          }
          return shown.length - new Set(shown).size;
        }, ARRIVAL_DEADLINE_MS);
      }
    }
    return {
      confirmed: contents.length,
      lost: contents.filter((content) => !counts.has(content)),
      twice: contents.filter((content) => (counts.get(content) ?? 0) > 1),
      shownTwice,
    };
  }

  async #work({ writer, reader }: Pair, url: string): Promise<void> {
    const api = this.system.api(writer, url);
    const presence = { status: 'active', last_update_id: -1 };
    while (this.#isOn) {
      await this.#write(writer, reader, url);
      this.#note('presence', await api.post('/users/me/presence', presence).catch(String));
      this.#note('profile', await api.get('/users/me').catch(String));
      await delay(PAUSE_MS);
    }
  }

  async #write(writer: Credentials, reader: PhoneOwner, url: string): Promise<void> {
    const content = `Message ${randomUUID()}`;
    const request = {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': randomUUID(),
      },
      body: encodeForm({ type: 'direct', to: [reader.id], content }),
    };
    for (;;) {
      const reply = await this.system
        .api(writer, url)
        .send('POST', '/messages', request)
        .catch(String);
      if (this.#note('message', reply)) {
        this.#confirmed.push({ id: Number(reply.body['id']), content, reader });
        return;
      }
      await delay(REPEAT_MS);
    }
  }

  #note(what: string, reply: Reply | string): reply is Reply {
    if (typeof reply === 'object' && reply.status === 200) return true;
    const text = typeof reply === 'object' ? `${reply.status} ${reply.text}` : reply;
    this.failures.push(`${what}: ${text}`);
    return false;
  }
}
