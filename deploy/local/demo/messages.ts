import { type Actor, type DemoApi, granted } from './demo-api.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';

/** A message from the view of one user. */
interface SeenMessage {
  readonly id: number;
  readonly place: string;
  readonly sender: string;
  readonly markdown: string;
  readonly flags: readonly string[];
}

/** The used members of a response. */
interface MessageFields {
  readonly id: number;
  readonly display_recipient: unknown;
  readonly subject: string;
  readonly sender_full_name: string;
  readonly flags: readonly string[];
}

export const pathOf = (messageId: number) => `/messages/${messageId}`;

export const SEND_MESSAGE = ['POST', '/messages'] as const;
export const CHANGE_FLAGS = ['POST', '/messages/flags'] as const;

/** Sends a message, and resolves with its id. */
export async function send(
  api: DemoApi,
  sender: Actor,
  fields: { readonly type: string; readonly to: string; readonly content: string; topic?: string },
): Promise<number> {
  const expected = granted(`${sender.name} may send this message`);
  const { id } = await api.call(sender, SEND_MESSAGE, { ...fields }, expected);
  return Number(id);
}

/** Fetches and prints a message. */
export async function read(
  api: DemoApi,
  printer: DemoPrinter,
  reader: Actor,
  messageId: number,
): Promise<SeenMessage> {
  const expected = granted(`${reader.name} may read this message`);
  const message = seenMessage(await api.call(reader, ['GET', pathOf(messageId)], {}, expected));
  printer.screen(`On ${reader.name}’s screen, ${message.place}`, [
    ...`${message.sender}: ${message.markdown}`.split('\n'),
    message.flags.length === 0 ? 'unread' : `flags: ${message.flags.join(', ')}`,
  ]);
  return message;
}

/** The message in a response. */
export function seenMessage(body: Readonly<Record<string, unknown>>): SeenMessage {
  // The contract's format of a message.
  const message = body['message'] as MessageFields;
  const { display_recipient: recipient, subject } = message;
  return {
    id: message.id,
    place: typeof recipient === 'string' ? `#${recipient} > ${subject}` : 'a direct message',
    sender: message.sender_full_name,
    markdown: String(body['raw_content']),
    flags: message.flags,
  };
}

/** Throws DemoMismatch unless the message has exactly these flags. */
export function expectFlags(
  reader: Actor,
  { flags }: SeenMessage,
  expected: readonly string[],
): void {
  const expectedFlags = expected.toSorted().join(', ');
  const seen = flags.toSorted().join(', ');
  if (expectedFlags === seen) return;
  throw new DemoMismatch(
    `${reader.name} has the message with the flags [${expectedFlags}]`,
    `the flags [${seen}]`,
  );
}
