import { randomUUID } from 'node:crypto';
import type { DemoFileUser } from '../../../prisma/seed/demo-files.js';
import { type DemoApi, granted, type Person } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Inbox } from './inbox.js';
import { CHANGE_FLAGS, send, SEND_MESSAGE } from './messages.js';
import type { Narrator } from './narrator.js';
import { makeAndroid, makeIphone, type Phone, register } from './phones.js';
import { dataOf, expectData, expectLines, showAlert, showData } from './screens.js';

const CHANNEL = 'general';
const TOPIC = 'phones';

/** Somebody who is away, and whose phones tell them what they miss. */
export interface Reader extends Person {
  readonly iphone: Phone;
  readonly android: Phone;
}

export interface Story {
  readonly sender: Person;
  readonly reader: Reader;
}

/** Signs somebody in who is away, and registers their phones. */
export async function registerReader(
  api: DemoApi,
  narrator: Narrator,
  account: DemoFileUser,
): Promise<Reader> {
  narrator.chapter(
    `${account.full_name} has two phones, and is away`,
    'Who is active at a screen needs no notification; she has not been seen today.',
  );
  const person = await api.signIn(account);
  const reader = { ...person, iphone: makeIphone(), android: makeAndroid() };
  for (const phone of phonesOf(reader)) await register(api, reader, phone);
  return reader;
}

/** Takes the phones away again, unseen. */
export async function forgetPhones(api: DemoApi, reader: Reader): Promise<void> {
  for (const { path, token } of phonesOf(reader))
    await api.ask(reader, ['DELETE', path], { token });
}

export const phonesOf = ({ iphone, android }: Reader): readonly [Phone, Phone] => [iphone, android];

/** Messages that are told on phones: once, by whom and what, and no longer than until they are read. */
export async function showMessageNotifications(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  story: Story,
): Promise<void> {
  const directId = await showDirectMessage(api, inbox, narrator, story);
  const mentionId = await showMention(api, inbox, narrator, story);
  await showReading(api, inbox, narrator, { ...story, messageIds: [directId, mentionId] });
}

/** A direct message that is sent twice and told once; resolves with its id. */
async function showDirectMessage(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  { sender, reader }: Story,
): Promise<number> {
  narrator.chapter(
    `${sender.name} writes to ${reader.name}`,
    'The message and its notifications are stored in one transaction: neither is there without the other.',
  );
  const content = 'The train is late. Start without me?';
  const fields = { type: 'direct', to: `[${reader.userId}]`, content };
  const headers = { 'Idempotency-Key': randomUUID() };
  const expected = granted(`${sender.name} may write to ${reader.name}`);
  const { id } = await api.call(sender, SEND_MESSAGE, fields, expected, headers);
  const { iphone, android } = reader;

  const onIphone = await inbox.nthOn(iphone.token, 1);
  expectLines(iphone, showAlert(narrator, iphone, onIphone), [sender.fullName, content]);
  const onAndroid = await inbox.nthOn(android.token, 1);
  showData(narrator, android, onAndroid);
  expectData(android, onAndroid, {
    event: 'message',
    sender_full_name: sender.fullName,
    content,
  });
  narrator.seen('Both phones say who wrote, and what.');

  narrator.chapter(
    `${sender.name}’s app sends it again`,
    'Say that the answer got lost. The same Idempotency-Key gets the same answer, and nothing is sent twice.',
  );
  const repeated = { status: 200, body: { id }, promise: 'The repetition is answered alike' };
  await api.call(sender, SEND_MESSAGE, fields, repeated, headers);
  narrator.seen('It is the same message.');
  return Number(id);
}

async function showMention(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  { sender, reader }: Story,
): Promise<number> {
  narrator.chapter(
    `${sender.name} mentions ${reader.name} in #${CHANNEL}`,
    'A phone gets its notifications in order: had the message before been told twice, it would come first.',
  );
  const id = await send(api, sender, {
    type: 'channel',
    to: CHANNEL,
    topic: TOPIC,
    content: `@**${reader.fullName}** the build for phones is ready.`,
  });
  const { iphone, android } = reader;
  const text = `@${reader.fullName} the build for phones is ready.`;
  const onIphone = await inbox.nthOn(iphone.token, 2);
  expectLines(iphone, showAlert(narrator, iphone, onIphone), [
    `#${CHANNEL} > ${TOPIC}`,
    `${sender.fullName} mentioned you:`,
    text,
  ]);
  const onAndroid = await inbox.nthOn(android.token, 2);
  showData(narrator, android, onAndroid);
  expectData(android, onAndroid, { event: 'message', stream: CHANNEL, topic: TOPIC });
  narrator.seen('It is the second notification on either phone.');
  return id;
}

async function showReading(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  { reader, messageIds }: Story & { readonly messageIds: readonly number[] },
): Promise<void> {
  narrator.chapter(
    `${reader.name} reads both on another computer`,
    'What is read anywhere vanishes from the phones: their apps are woken, and told what to take away.',
  );
  const fields = { op: 'add', flag: 'read', messages: JSON.stringify(messageIds) };
  await api.call(reader, CHANGE_FLAGS, fields, granted('Both can be marked as read'));
  for (const phone of phonesOf(reader)) {
    const arrival = await inbox.nthOn(phone.token, 3);
    showData(narrator, phone, arrival);
    expectData(phone, arrival, { event: 'remove' });
    const removed = String(dataOf(phone, arrival)['zulip_message_ids']).split(',').map(Number);
    if (messageIds.some((id) => !removed.includes(id))) {
      throw new DemoMismatch(`${phone.name} takes ${messageIds.join(' and ')} away`, `${removed}`);
    }
  }
  narrator.seen('Neither phone shows them any more.');
}
