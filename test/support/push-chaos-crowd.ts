import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.js';
import type { Organisation, Person } from './organisation.js';
import { Phone } from './phone.js';
import type { SandboxClient, SandboxDelivery } from './sandbox-client.js';

/**
 * The behaviour of a provider for one token: normal; a temporary refusal; a false refusal, which ends a notification
 * but must not remove the phone; or the correct answer that the token is dead.
 */
type Behaviour = 'normal' | 'throttled' | 'misreported' | 'dead';

interface CrowdPhone {
  readonly phone: Phone;
  readonly owner: Person;
  readonly behaviour: Behaviour;
  /** The number of notifications that the gateway has accepted for the phone. */
  accepted: number;
}

/** A request that was not accepted. */
interface RefusedRequest {
  readonly behaviour: Behaviour | 'any';
  readonly status: number;
  readonly text: string;
}

/** Each of these is the behaviour of one phone in ten. */
const FAULTY_BEHAVIOURS: readonly Behaviour[] = ['throttled', 'misreported', 'dead'];
const BETWEEN_REQUESTS_MS = 25;

/** People with phones, who send notifications to themselves and to each other. */
export class Crowd {
  readonly phones: CrowdPhone[] = [];
  readonly refused: RefusedRequest[] = [];
  readonly #people: Person[] = [];

  constructor(private readonly random: SeededRandom) {}

  /** Registers two phones of each platform for each of `count` people. */
  async register(organisation: Organisation, count: number): Promise<void> {
    for (const owner of await organisation.addPeople(count)) {
      this.#people.push(owner);
      const phones = [Phone.iphone(), Phone.iphone(), Phone.android(), Phone.android()];
      for (const phone of phones) {
        await phone.register(owner.api);
        const behaviour = FAULTY_BEHAVIOURS[Math.floor(this.random.next() * 10)] ?? 'normal';
        this.phones.push({ phone, owner, behaviour, accepted: 0 });
      }
    }
  }

  /** Scripts the answers of the providers for all phones with a faulty behaviour. */
  async scriptAnswers(sandbox: SandboxClient): Promise<void> {
    for (const { phone, behaviour } of this.phones) {
      if (behaviour !== 'normal')
        await sandbox.answer(phone.token, this.#scriptFor(phone, behaviour));
    }
  }

  /** Sends until `stop` is called; resolves after the last answer. */
  async sendUntilAborted(signal: AbortSignal): Promise<void> {
    const requests: Promise<void>[] = [];
    while (!signal.aborted) {
      requests.push(this.#sendOne());
      await delay(this.random.between(0, 2 * BETWEEN_REQUESTS_MS));
    }
    await Promise.all(requests);
  }

  /** Sends one more notification to each phone; resolves with the phones that the gateway has removed. */
  async notifyEach(): Promise<CrowdPhone[]> {
    const removed: CrowdPhone[] = [];
    for (const one of this.phones) {
      const { owner, phone } = one;
      const reply = await owner.api.post(TEST, { token: phone.token });
      if (reply.status === 200) one.accepted += 1;
      else removed.push(one);
    }
    return removed;
  }

  async #sendOne(): Promise<void> {
    const choice = this.random.next();
    if (choice < 0.6) await this.#testOne(this.random.pick(this.phones));
    else if (choice < 0.8) await this.#testAll(this.random.pick(this.#people));
    else await this.#write(this.random.pick(this.#people), this.random.pick(this.#people));
  }

  async #testOne(one: CrowdPhone): Promise<void> {
    const { status, text } = await one.owner.api.post(TEST, { token: one.phone.token });
    this.#note([one], one.behaviour, status, text);
  }

  async #testAll(person: Person): Promise<void> {
    const { status, text } = await person.api.post(TEST);
    this.#note(this.#phonesOf(person), 'any', status, text);
  }

  async #write(sender: Person, recipient: Person): Promise<void> {
    if (sender === recipient) return;
    const { status, text } = await sender.api.post('/messages', {
      type: 'direct',
      to: [recipient.id],
      content: 'Are you there?',
    });
    this.#note(this.#phonesOf(recipient), 'any', status, text);
  }

  #note(
    phones: readonly CrowdPhone[],
    behaviour: Behaviour | 'any',
    status: number,
    text: string,
  ): void {
    if (status !== 200) this.refused.push({ behaviour, status, text });
    else for (const one of phones) one.accepted += 1;
  }

  #phonesOf(person: Person): CrowdPhone[] {
    return this.phones.filter(({ owner }) => owner === person);
  }

  #scriptFor({ platform }: Phone, behaviour: Exclude<Behaviour, 'normal'>) {
    const choices = scripts[behaviour][platform];
    return { platform, ...this.random.pick(choices()) };
  }
}

const TEST = '/mobile_push/test_notification';
/** A time before the registration of any phone, in UNIX milliseconds. */
const LONG_AGO = 1_000_000_000_000;

/** The number of false refusals of a token, each of which loses one notification. */
export const FALSE_REFUSALS = 2;

const scripts = {
  throttled: {
    apns: () => [
      { reason: 'TooManyRequests', retry_after: 1, times: 2 },
      { reason: 'InternalServerError', times: 2 },
      { reason: 'ServiceUnavailable', retry_after: 1, times: 2 },
      { reason: 'Shutdown', times: 2 },
      { reason: 'IdleTimeout', times: 2 },
      { reason: 'InvalidProviderToken', times: 1 },
    ],
    fcm: () => [
      { reason: 'QUOTA_EXCEEDED', retry_after: 1, times: 2 },
      { reason: 'UNAVAILABLE', retry_after: 1, times: 2 },
      { reason: 'INTERNAL', times: 1 },
      { reason: 'UNREGISTERED', with_details: false, times: 1 },
      { reason: 'SENDER_ID_MISMATCH', with_details: false, times: 1 },
    ],
  },
  misreported: {
    apns: () => [
      { reason: 'Unregistered', timestamp: LONG_AGO, times: FALSE_REFUSALS },
      { reason: 'PayloadTooLarge', times: FALSE_REFUSALS },
    ],
    fcm: () => [
      { reason: 'INVALID_ARGUMENT', bad_request: ['message.data'], times: FALSE_REFUSALS },
    ],
  },
  dead: {
    apns: () => [{ reason: 'Unregistered', timestamp: Date.now() }],
    fcm: () => [{ reason: 'UNREGISTERED' }],
  },
} as const;

/** The id by which two deliveries are recognised as the same notification. */
export function notificationIdOf({ platform, headers, payload }: SandboxDelivery): string {
  if (platform === 'apns') return headers['apns-collapse-id'] ?? '';
  // The sandbox accepts and lists only payloads of this shape.
  const { message } = payload as { message: { data: Record<string, string> } };
  return message.data['notification_id'] ?? '';
}
