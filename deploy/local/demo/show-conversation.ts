import { type Actor, type DemoApi, granted, type Person } from './demo-api.js';
import { CHANGE_FLAGS, expectFlags, pathOf, read, seenMessage, send } from './messages.js';
import type { DemoPrinter } from './demo-printer.js';

const CHANNEL = 'general';
const TOPIC = 'phones';

interface Conversation {
  readonly alice: Person;
  readonly bob: Person;
  readonly channelId: number;
  /** Older messages, whose unread flags are restored at the end. */
  readonly olderMessages: readonly number[];
}

/** The flags of a message per user: mention, star, read; and the effect of muting. */
export async function showConversation(
  api: DemoApi,
  printer: DemoPrinter,
  { alice, bob, channelId, olderMessages }: Conversation,
): Promise<void> {
  // An interrupted demonstration may have left this.
  await api.ask(alice, ['DELETE', mutePath(bob)], {});
  const unread = await unreadOf(api, alice, olderMessages);

  printer.section(
    `${bob.name} mentions ${alice.name}`,
    `He writes to #${CHANNEL}. Every subscriber receives the message with flags of their own:\n` +
      `${alice.name} has the flag "mentioned".`,
  );
  const messageId = await write(
    api,
    bob,
    `@**${alice.fullName}** my phone rings with the new build. Does yours?`,
  );
  expectFlags(alice, await read(api, printer, alice, messageId), ['mentioned']);
  printer.seen(`It is unread, and mentions ${alice.name}.`);

  await showFlags(api, printer, { alice, bob, channelId, messageId });
  await showMuting(api, printer, alice, bob);

  const unstarred = { op: 'remove', flag: 'starred', messages: `[${messageId}]` };
  await api.ask(alice, CHANGE_FLAGS, unstarred);
  await api.ask(alice, CHANGE_FLAGS, {
    op: 'remove',
    flag: 'read',
    messages: JSON.stringify(unread),
  });
}

async function showFlags(
  api: DemoApi,
  printer: DemoPrinter,
  story: Omit<Conversation, 'olderMessages'> & { readonly messageId: number },
): Promise<void> {
  const { alice, bob, channelId, messageId } = story;
  printer.section(
    `${alice.name} stars it, and reads the channel`,
    `A star belongs to the user who set it: nobody else sees it, not even ${bob.name}, who wrote the message.`,
  );
  await api.call(
    alice,
    CHANGE_FLAGS,
    { op: 'add', flag: 'starred', messages: `[${messageId}]` },
    granted('The star is taken'),
  );
  await api.call(
    alice,
    ['POST', '/mark_stream_as_read'],
    { stream_id: String(channelId) },
    granted('The channel is read'),
  );
  const alices = await read(api, printer, alice, messageId);
  expectFlags(alice, alices, ['read', 'starred', 'mentioned']);
  expectFlags(bob, await read(api, printer, bob, messageId), ['read']);
  printer.seen(`For ${alice.name} it is read and starred; for ${bob.name} it has no star.`);
}

async function showMuting(
  api: DemoApi,
  printer: DemoPrinter,
  alice: Person,
  bob: Person,
): Promise<void> {
  printer.section(
    `${alice.name} mutes ${bob.name}`,
    'She still receives his messages, but they are already marked as read and do not notify her.\n' +
      'He does not learn about it.',
  );
  const { name } = bob;
  await api.call(alice, ['POST', mutePath(bob)], {}, granted(`${name} can be muted`));
  const mutedId = await write(api, bob, 'And again. It rings very well!');
  expectFlags(alice, await read(api, printer, alice, mutedId), ['read']);
  printer.seen('It arrived read.');

  printer.section(
    `${alice.name} unmutes ${bob.name}`,
    'From now on his messages are unread until she reads them.',
  );
  await api.call(alice, ['DELETE', mutePath(bob)], {}, granted(`${name} can be unmuted`));
  const heardId = await write(api, bob, 'I have found the switch for silence.');
  expectFlags(alice, await read(api, printer, alice, heardId), []);
  printer.seen('It arrived unread.');
}

const mutePath = ({ userId }: Person) => `/users/me/muted_users/${userId}`;

const write = (api: DemoApi, sender: Actor, content: string): Promise<number> =>
  send(api, sender, { type: 'channel', to: CHANNEL, topic: TOPIC, content });

/** The unread messages. Reading a channel and muting a user also mark older messages as read. */
async function unreadOf(
  api: DemoApi,
  reader: Actor,
  messageIds: readonly number[],
): Promise<number[]> {
  const answers = await Promise.all(
    messageIds.map((id) => api.ask(reader, ['GET', pathOf(id)], {})),
  );
  return answers
    .filter(({ status }) => status === 200)
    .map(({ body }) => seenMessage(body))
    .filter(({ flags }) => !flags.includes('read'))
    .map(({ id }) => id);
}
