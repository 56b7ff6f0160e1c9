import { type Actor, type DemoApi, granted, type Person } from './demo-api.js';
import { CHANGE_FLAGS, expectFlags, pathOf, read, seenMessage, send } from './messages.js';
import type { Narrator } from './narrator.js';

const CHANNEL = 'general';
const TOPIC = 'phones';

interface Conversation {
  readonly alice: Person;
  readonly bob: Person;
  readonly channelId: number;
  /** Messages that were there before, to be left unread where they are so now. */
  readonly olderMessages: readonly number[];
}

/** What a message is to each who has it: a call, a star, read or unread, and what muting does to that. */
export async function showConversation(
  api: DemoApi,
  narrator: Narrator,
  { alice, bob, channelId, olderMessages }: Conversation,
): Promise<void> {
  // Left over where an earlier demonstration was stopped halfway.
  await api.ask(alice, ['DELETE', mutePath(bob)], {});
  const unread = await unreadOf(api, alice, olderMessages);

  narrator.chapter(
    `${bob.name} calls ${alice.name} by name`,
    `He writes to #${CHANNEL}. Everybody there has the message, and each has flags of their own on it:\n` +
      `${alice.name}’s says that it speaks of her.`,
  );
  const messageId = await write(
    api,
    bob,
    `@**${alice.fullName}** my phone rings with the new build. Does yours?`,
  );
  expectFlags(alice, await read(api, narrator, alice, messageId), ['mentioned']);
  narrator.seen(`It is unread, and mentions ${alice.name}.`);

  await showFlags(api, narrator, { alice, bob, channelId, messageId });
  await showMuting(api, narrator, alice, bob);

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
  narrator: Narrator,
  story: Omit<Conversation, 'olderMessages'> & { readonly messageId: number },
): Promise<void> {
  const { alice, bob, channelId, messageId } = story;
  narrator.chapter(
    `${alice.name} stars it, and reads the channel`,
    `A star is for whoever gave it: nobody else sees it, not even ${bob.name}, who wrote the message.`,
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
  const alices = await read(api, narrator, alice, messageId);
  expectFlags(alice, alices, ['read', 'starred', 'mentioned']);
  expectFlags(bob, await read(api, narrator, bob, messageId), ['read']);
  narrator.seen(`${alice.name} has it read and starred; ${bob.name}’s has no star.`);
}

async function showMuting(
  api: DemoApi,
  narrator: Narrator,
  alice: Person,
  bob: Person,
): Promise<void> {
  narrator.chapter(
    `${alice.name} mutes ${bob.name}`,
    'What he writes still reaches her, but as if she had read it: nothing calls her.\n' +
      'He is not told.',
  );
  const { name } = bob;
  await api.call(alice, ['POST', mutePath(bob)], {}, granted(`${name} can be muted`));
  const mutedId = await write(api, bob, 'And again. It rings very well!');
  expectFlags(alice, await read(api, narrator, alice, mutedId), ['read']);
  narrator.seen('It arrived read.');

  narrator.chapter(
    `${alice.name} unmutes ${bob.name}`,
    'From now on his messages are unread until she reads them.',
  );
  await api.call(alice, ['DELETE', mutePath(bob)], {}, granted(`${name} can be unmuted`));
  const heardId = await write(api, bob, 'I have found the switch for silence.');
  expectFlags(alice, await read(api, narrator, alice, heardId), []);
  narrator.seen('It arrived unread.');
}

const mutePath = ({ userId }: Person) => `/users/me/muted_users/${userId}`;

const write = (api: DemoApi, sender: Actor, content: string): Promise<number> =>
  send(api, sender, { type: 'channel', to: CHANNEL, topic: TOPIC, content });

/** Reading a channel and muting somebody mark older messages too; the demonstration puts that right. */
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
