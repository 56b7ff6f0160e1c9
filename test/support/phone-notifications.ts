import { eventually } from './eventually.js';
import type { Organisation, Person } from './organisation.js';
import { Phone } from './phone.js';
import type { SandboxDelivery } from './sandbox-client.js';
import type { System } from './start-system.js';

/** The content of a notification on a phone, independent of the provider. */
interface PhoneNotification {
  readonly event: string;
  readonly messageIds: readonly number[];
  readonly text: string;
}

/** A person with two phones, who was not active recently. */
export interface Reader extends Person {
  readonly iphone: Phone;
  readonly android: Phone;
}

/** People with phones, and the notifications that the phones have shown. */
export class PhoneNotifications {
  constructor(
    private readonly system: System,
    readonly organisation: Organisation,
  ) {}

  async addReader(traits: Parameters<Organisation['addPerson']>[0] = {}): Promise<Reader> {
    const person = await this.organisation.addPerson(traits);
    const iphone = await Phone.iphone().register(person.api);
    const android = await Phone.android().register(person.api);
    return { ...person, iphone, android };
  }

  /** The notifications of a phone that the sandbox still has, in the order of arrival. */
  async shownOn({ token }: Phone): Promise<PhoneNotification[]> {
    return (await this.system.sandbox.shownOn(token)).map(parseDelivery);
  }

  /** Waits for a notification of a message; resolves with all notifications of the phone. */
  untilShown(
    phone: Phone,
    event: string,
    messageId: number,
    deadlineMs?: number,
  ): Promise<PhoneNotification[]> {
    return eventually(async () => {
      const shown = await this.shownOn(phone);
      if (shown.some((one) => one.event === event && one.messageIds.includes(messageId)))
        return shown;
      throw new Error(`The ${event} ${messageId} was not shown: ${JSON.stringify(shown)}`);
    }, deadlineMs);
  }

  /**
   * The ids of all messages that both phones of a reader have shown. Sends a last direct message and waits for it:
   * a phone gets its notifications in order, so no earlier one can follow.
   */
  async messagesOf(reader: Reader, sender: Person): Promise<number[]> {
    const { body } = await sender.api.post('/messages', {
      type: 'direct',
      to: [reader.id],
      content: 'That is all.',
    });
    const last = Number(body['id']);
    const [iphone, android] = await Promise.all(
      [reader.iphone, reader.android].map((phone) => this.untilShown(phone, 'message', last)),
    );
    const messages = messageIdsOf(iphone ?? []).filter((id) => id !== last);
    const others = messageIdsOf(android ?? []).filter((id) => id !== last);
    if (messages.join() !== others.join())
      throw new Error(`One phone: ${messages.join()}, the other: ${others.join()}`);
    return messages;
  }
}

export const messageIdsOf = (shown: readonly PhoneNotification[]): number[] =>
  shown.filter(({ event }) => event === 'message').flatMap(({ messageIds }) => messageIds);

/** Parses a notification of either provider. */
export function parseDelivery({ platform, payload }: SandboxDelivery): PhoneNotification {
  return platform === 'apns' ? parseApns(payload) : parseFcm(payload);
}

// A payload of another shape gives empty values, on which the test fails.
function parseApns(payload: SandboxDelivery['payload']): PhoneNotification {
  const { aps, zulip } = payload as unknown as {
    readonly aps: { readonly alert?: { readonly body: string } };
    readonly zulip: {
      readonly event?: string;
      readonly message_ids?: readonly number[];
      readonly zulip_message_ids?: string;
    };
  };
  return {
    // The release before does not name the event of a message.
    event: zulip.event ?? (zulip.message_ids === undefined ? '' : 'message'),
    messageIds: zulip.message_ids ?? idsOf(zulip.zulip_message_ids),
    text: aps.alert?.body ?? '',
  };
}

function parseFcm(payload: SandboxDelivery['payload']): PhoneNotification {
  const { data } = payload['message'] as { readonly data: Readonly<Record<string, string>> };
  return {
    event: data['event'] ?? '',
    messageIds: idsOf(data['zulip_message_id'] ?? data['zulip_message_ids']),
    text: data['content'] ?? '',
  };
}

const idsOf = (list = ''): number[] => (list === '' ? [] : list.split(',').map(Number));
