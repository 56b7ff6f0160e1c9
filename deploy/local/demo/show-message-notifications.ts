import { randomUUID } from 'node:crypto';
import { type DemoApi, granted, type Person } from './demo-api.js';
import type { Inbox } from './inbox.js';
import { CHANGE_FLAGS, send, SEND_MESSAGE } from './messages.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';
import {
  dataOf,
  expectData,
  expectLines,
  makeAndroid,
  makeIphone,
  type Phone,
  register,
  showAlert,
  showData,
} from './phones.js';
import type { DemoFileUser } from '../../../prisma/seed/demo-files.js';

const CHANNEL = 'general';
const TOPIC = 'phones';

/** An absent user with two phones. */
interface Reader extends Person {
  readonly iphone: Phone;
  readonly android: Phone;
}

interface Story {
  readonly sender: Person;
  readonly reader: Reader;
}

/** Signs in an absent user, and registers two phones. */
export async function registerReader(
  api: DemoApi,
  printer: DemoPrinter,
  account: DemoFileUser,
): Promise<Reader> {
  printer.section(
    `${account.full_name} has two phones and is offline`,
    'Users who are active on a client get no notifications. She has not been active today.',
  );
  const person = await api.signIn(account);
  const reader = { ...person, iphone: makeIphone(), android: makeAndroid() };
  for (const phone of phonesOf(reader)) await register(api, reader, phone);
  return reader;
}

/** Removes the phones without printing it. */
export async function forgetPhones(api: DemoApi, reader: Reader): Promise<void> {
  for (const { path, token } of phonesOf(reader))
    await api.ask(reader, ['DELETE', path], { token });
}

const phonesOf = ({ iphone, android }: Reader): readonly [Phone, Phone] => [iphone, android];

/** Notifications of messages: sent once, with sender and content, and removed after reading. */
export async function showMessageNotifications(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  story: Story,
): Promise<void> {
  const directId = await showDirectMessage(api, inbox, printer, story);
  const mentionId = await showMention(api, inbox, printer, story);
  await showReading(api, inbox, printer, { ...story, messageIds: [directId, mentionId] });
}

/** A direct message that is sent twice and notified once; resolves with its id. */
async function showDirectMessage(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { sender, reader }: Story,
): Promise<number> {
  printer.section(
    `${sender.name} writes to ${reader.name}`,
    'One transaction stores the message and its notifications, so that neither exists without the other.',
  );
  const content = 'The train is late. Start without me?';
  const fields = { type: 'direct', to: `[${reader.userId}]`, content };
  const headers = { 'Idempotency-Key': randomUUID() };
  const expected = granted(`${sender.name} may write to ${reader.name}`);
  const { id } = await api.call(sender, SEND_MESSAGE, fields, expected, headers);
  const { iphone, android } = reader;

  const onIphone = await inbox.nthOn(iphone.token, 1);
  expectLines(iphone, showAlert(printer, iphone, onIphone), [sender.fullName, content]);
  const onAndroid = await inbox.nthOn(android.token, 1);
  showData(printer, android, onAndroid);
  expectData(android, onAndroid, {
    event: 'message',
    sender_full_name: sender.fullName,
    content,
  });
  printer.seen('Both phones show the sender and the text.');

  printer.section(
    `${sender.name}’s app sends it again`,
    'The first response might have been lost. The same Idempotency-Key gets the same response, and nothing is sent twice.',
  );
  const repeated = { status: 200, body: { id }, promise: 'The repetition is answered alike' };
  await api.call(sender, SEND_MESSAGE, fields, repeated, headers);
  printer.seen('It is the same message.');
  return Number(id);
}

async function showMention(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { sender, reader }: Story,
): Promise<number> {
  printer.section(
    `${sender.name} mentions ${reader.name} in #${CHANNEL}`,
    'A phone receives its notifications in order: a duplicate of the first one would arrive before this one.',
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
  expectLines(iphone, showAlert(printer, iphone, onIphone), [
    `#${CHANNEL} > ${TOPIC}`,
    `${sender.fullName} mentioned you:`,
    text,
  ]);
  const onAndroid = await inbox.nthOn(android.token, 2);
  showData(printer, android, onAndroid);
  expectData(android, onAndroid, { event: 'message', stream: CHANNEL, topic: TOPIC });
  printer.seen('It is the second notification on each phone.');
  return id;
}

async function showReading(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { reader, messageIds }: Story & { readonly messageIds: readonly number[] },
): Promise<void> {
  printer.section(
    `${reader.name} reads both on another computer`,
    'Reading a message anywhere removes it from the phones: a background push names the messages that their apps have to remove.',
  );
  const fields = { op: 'add', flag: 'read', messages: JSON.stringify(messageIds) };
  await api.call(reader, CHANGE_FLAGS, fields, granted('Both can be marked as read'));
  for (const phone of phonesOf(reader)) {
    const arrival = await inbox.nthOn(phone.token, 3);
    showData(printer, phone, arrival);
    expectData(phone, arrival, { event: 'remove' });
    const removed = String(dataOf(phone, arrival)['zulip_message_ids']).split(',').map(Number);
    if (messageIds.some((id) => !removed.includes(id))) {
      throw new DemoMismatch(`${phone.name} removes ${messageIds.join(' and ')}`, `${removed}`);
    }
  }
  printer.seen('Both phones have removed the notifications.');
}

/** An outage of Apple while a message is sent: Android phones are not affected, iPhones receive it later. */
export async function showOutage(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  story: Story,
): Promise<void> {
  try {
    await showOneProviderDown(api, inbox, printer, story);
  } finally {
    await inbox.setProvider('apns', 'ok');
  }
}

async function showOneProviderDown(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { sender, reader }: Story,
): Promise<void> {
  const { iphone, android } = reader;
  printer.section(
    'Apple goes down',
    'The sandbox refuses connections to it. Google is not affected, because each platform has its own queues.',
  );
  const shownBefore = (await inbox.shownOn(iphone.token)).length;
  printProviderMode(printer, 'down');
  await inbox.setProvider('apns', 'down');
  const content = 'Just arrived. Which room?';
  await send(api, sender, { type: 'direct', to: `[${reader.userId}]`, content });
  await inbox.nthOn(android.token, shownBefore + 1);
  printer.seen('It arrived at the Android phone.');
  const shownMeanwhile = (await inbox.shownOn(iphone.token)).length - shownBefore;
  if (shownMeanwhile > 0) {
    throw new DemoMismatch('Nothing arrives at the iPhone', `${shownMeanwhile} arrived`);
  }
  printer.seen('The notification for the iPhone waits.');

  printer.section(
    'Apple comes back',
    'The push worker detects that and sends the waiting notifications, unless their time to live has ended.',
  );
  printProviderMode(printer, 'ok');
  await inbox.setProvider('apns', 'ok');
  const arrival = await inbox.nthOn(iphone.token, shownBefore + 1);
  expectLines(iphone, showAlert(printer, iphone, arrival), [sender.fullName, content]);
  printer.seen('It arrived at the iPhone.');
}

const printProviderMode = (printer: DemoPrinter, mode: 'ok' | 'down') =>
  printer.request('the sandbox', ['PUT', '/api/platforms/apns'], { mode });
