import type { Bench } from '../scenarios/scenario.js';
import { type BenchUser, createRealm } from './bench-world.js';

const SENDERS = 50;
/** The most messages that the reader has received. */
const RECEIVED = 1_000_000;

/** A channel of many messages, of which the reader has received the newest. */
export interface MessagesWorld {
  readonly host: string;
  readonly reader: BenchUser;
  readonly channelId: number;
  readonly sender: BenchUser;
}

const opened = new WeakMap<Bench, Promise<MessagesWorld>>();

/** The scenarios of messages of a build share one organisation. */
export function messagesWorldOf(bench: Bench): Promise<MessagesWorld> {
  const known = opened.get(bench) ?? openWorld(bench);
  opened.set(bench, known);
  return known;
}

async function openWorld(bench: Bench): Promise<MessagesWorld> {
  const { progress, programs, world, messages, messageCount } = bench;
  return progress.step(`messages: ${messageCount} messages of a channel`, async () => {
    await programs.start('api-gateway');
    const { id: realmId, host, users } = await createRealm(world, 'messages', SENDERS + 1);
    const [reader, ...senders] = users;
    const [sender] = senders;
    if (reader === undefined || sender === undefined) throw new Error('There are no users.');
    const channelId = await world.createChannel(realmId, 'general', [reader.userId]);
    await messages.create({
      realmId,
      channelId,
      readerId: reader.userId,
      senderIds: senders.map(({ userId }) => userId),
      count: messageCount,
      received: Math.min(messageCount, RECEIVED),
    });
    return { host, reader, channelId, sender };
  });
}
