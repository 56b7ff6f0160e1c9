import { eventually } from './eventually.js';
import type { Organisation, Person } from './organisation.js';
import { Phone } from './phone.js';
import type { SandboxDelivery } from './sandbox-client.js';
import type { System } from './start-system.js';

/** What a notification tells an app, whichever provider brought it. */
export interface Told {
  readonly event: string;
  readonly messageIds: readonly number[];
  readonly text: string;
}

/** Somebody with two phones, who has not been seen for long. */
export interface Reader extends Person {
  readonly iphone: Phone;
  readonly android: Phone;
}

/** People with phones, and what those have shown. */
export class ToldPhones {
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

  /** What a phone has been told, in the order in which it was; for what is kept in the sandbox only. */
  async toldOn({ token }: Phone): Promise<Told[]> {
    return (await this.system.sandbox.shownOn(token)).map(toldBy);
  }

  /** Resolves with all that a phone has been told when it has been told this. */
  untilTold(phone: Phone, event: string, messageId: number, deadlineMs?: number): Promise<Told[]> {
    return eventually(async () => {
      const told = await this.toldOn(phone);
      if (told.some((one) => one.event === event && one.messageIds.includes(messageId)))
        return told;
      throw new Error(`Nothing was told of the ${event} ${messageId}: ${JSON.stringify(told)}`);
    }, deadlineMs);
  }

  /**
   * The messages that both phones of somebody have been told of. One phone is told in order: when the
   * direct message that is sent here has come, nothing that was sent before is still to come.
   */
  async messagesOf(reader: Reader, sender: Person): Promise<number[]> {
    const { body } = await sender.api.post('/messages', {
      type: 'direct',
      to: [reader.id],
      content: 'That is all.',
    });
    const last = Number(body['id']);
    const [iphone, android] = await Promise.all(
      [reader.iphone, reader.android].map((phone) => this.untilTold(phone, 'message', last)),
    );
    const messages = messagesAmong(iphone ?? []).filter((id) => id !== last);
    const others = messagesAmong(android ?? []).filter((id) => id !== last);
    if (messages.join() !== others.join())
      throw new Error(`One phone: ${messages.join()}, the other: ${others.join()}`);
    return messages;
  }
}

export const messagesAmong = (told: readonly Told[]): number[] =>
  told.filter(({ event }) => event === 'message').flatMap(({ messageIds }) => messageIds);

/** What a notification of either provider tells. */
export function toldBy({ platform, payload }: SandboxDelivery): Told {
  return platform === 'apns' ? toldByApple(payload) : toldByGoogle(payload);
}

// Both payloads are of the documented form, or a test finds out by their lack.
function toldByApple(payload: SandboxDelivery['payload']): Told {
  const { aps, zulip } = payload as unknown as {
    readonly aps: { readonly alert?: { readonly body: string } };
    readonly zulip: {
      readonly event?: string;
      readonly message_ids?: readonly number[];
      readonly zulip_message_ids?: string;
    };
  };
  return {
    event: zulip.event ?? 'message',
    messageIds: zulip.message_ids ?? idsOf(zulip.zulip_message_ids),
    text: aps.alert?.body ?? '',
  };
}

function toldByGoogle(payload: SandboxDelivery['payload']): Told {
  const { data } = payload['message'] as { readonly data: Readonly<Record<string, string>> };
  return {
    event: data['event'] ?? '',
    messageIds: idsOf(data['zulip_message_id'] ?? data['zulip_message_ids']),
    text: data['content'] ?? '',
  };
}

const idsOf = (list = ''): number[] => (list === '' ? [] : list.split(',').map(Number));
