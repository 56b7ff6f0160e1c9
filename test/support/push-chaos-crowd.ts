import { setTimeout as delay } from 'node:timers/promises';
import type { Dice } from './dice.js';
import type { Organisation, Person } from './organisation.js';
import { Phone } from './phone.js';
import type { SandboxClient, SandboxDelivery } from './sandbox-client.js';

/**
 * What becomes of a phone's token: nothing; a refusal that passes; a lie that ends a notification but is no
 * reason to remove the phone; or the truth that it is dead.
 */
export type Fate = 'sound' | 'stumbling' | 'slandered' | 'dead';

export interface CrowdPhone {
  readonly phone: Phone;
  readonly owner: Person;
  readonly fate: Fate;
  /** Notifications that the gateway has accepted for it. */
  accepted: number;
}

/** A request that was not accepted. */
export interface RefusedRequest {
  readonly fate: Fate | 'any';
  readonly status: number;
  readonly text: string;
}

/** Each is that of one phone in ten. */
const FATES: readonly Fate[] = ['stumbling', 'slandered', 'dead'];
const BETWEEN_REQUESTS_MS = 25;

/** People with phones, who have notifications sent to themselves and to each other. */
export class Crowd {
  readonly phones: CrowdPhone[] = [];
  readonly refused: RefusedRequest[] = [];
  readonly #people: Person[] = [];

  constructor(private readonly dice: Dice) {}

  /** Registers two phones of each platform for each of so many people. */
  async gather(organisation: Organisation, count: number): Promise<void> {
    for (const owner of await organisation.addPeople(count)) {
      this.#people.push(owner);
      const phones = [Phone.iphone(), Phone.iphone(), Phone.android(), Phone.android()];
      for (const phone of phones) {
        await phone.register(owner.api);
        const fate = FATES[Math.floor(this.dice.roll() * 10)] ?? 'sound';
        this.phones.push({ phone, owner, fate, accepted: 0 });
      }
    }
  }

  /** Tells the providers what they are to say of the phones that have a fate. */
  async meetFates(sandbox: SandboxClient): Promise<void> {
    for (const { phone, fate } of this.phones) {
      if (fate !== 'sound') await sandbox.answer(phone.token, this.#ordersFor(phone, fate));
    }
  }

  /** Sends until it is told to stop; resolves when the last request has been answered. */
  async chatter(signal: AbortSignal): Promise<void> {
    const requests: Promise<void>[] = [];
    while (!signal.aborted) {
      requests.push(this.#ask());
      await delay(this.dice.between(0, 2 * BETWEEN_REQUESTS_MS));
    }
    await Promise.all(requests);
  }

  /** One more to each phone; resolves with those that the gateway does not know any more. */
  async callEach(): Promise<CrowdPhone[]> {
    const forgotten: CrowdPhone[] = [];
    for (const one of this.phones) {
      const { owner, phone } = one;
      const reply = await owner.api.post(TEST, { token: phone.token });
      if (reply.status === 200) one.accepted += 1;
      else forgotten.push(one);
    }
    return forgotten;
  }

  async #ask(): Promise<void> {
    const choice = this.dice.roll();
    if (choice < 0.6) await this.#testOne(this.dice.pick(this.phones));
    else if (choice < 0.8) await this.#testAll(this.dice.pick(this.#people));
    else await this.#write(this.dice.pick(this.#people), this.dice.pick(this.#people));
  }

  async #testOne(one: CrowdPhone): Promise<void> {
    const { status, text } = await one.owner.api.post(TEST, { token: one.phone.token });
    this.#note([one], one.fate, status, text);
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

  #note(phones: readonly CrowdPhone[], fate: Fate | 'any', status: number, text: string): void {
    if (status !== 200) this.refused.push({ fate, status, text });
    else for (const one of phones) one.accepted += 1;
  }

  #phonesOf(person: Person): CrowdPhone[] {
    return this.phones.filter(({ owner }) => owner === person);
  }

  #ordersFor({ platform }: Phone, fate: Exclude<Fate, 'sound'>) {
    const orders = ordersOf[fate][platform];
    return { platform, ...this.dice.pick(orders()) };
  }
}

const TEST = '/mobile_push/test_notification';
/** Before any phone was registered. */
const LONG_AGO = 1_000_000_000_000;

/** A slandered phone loses as many notifications as it is lied about. */
export const SLANDERS = 2;

const ordersOf = {
  stumbling: {
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
  slandered: {
    apns: () => [
      { reason: 'Unregistered', timestamp: LONG_AGO, times: SLANDERS },
      { reason: 'PayloadTooLarge', times: SLANDERS },
    ],
    fcm: () => [{ reason: 'INVALID_ARGUMENT', bad_request: true, times: SLANDERS }],
  },
  dead: {
    apns: () => [{ reason: 'Unregistered', timestamp: Date.now() }],
    fcm: () => [{ reason: 'UNREGISTERED' }],
  },
} as const;

/** What says that two arrivals are the same notification. */
export function notificationIdOf({ platform, headers, payload }: SandboxDelivery): string {
  if (platform === 'apns') return headers['apns-collapse-id'] ?? '';
  // The sandbox lists what it was sent, and has refused what has another shape.
  const { message } = payload as { message: { data: Record<string, string> } };
  return message.data['notification_id'] ?? '';
}
