import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { idOf, success } from '#test/answers';
import { eventually } from '#test/eventually';
import { addOrganisation, type Person } from '#test/organisation';
import { startChaosWorkers } from '#test/push-chaos-workers';
import { deliveriesTo } from '#test/push-ledger';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { runCarillon } from '#test/run-carillon';
import { messageIdsOf, type Reader, type PhoneNotifications } from '#test/phone-notifications';
import { useFixture } from '#test/use-fixture';
import { addMessagingPeople, startMessagingSystem } from './message-notifications.world.js';

const system = useFixture(startMessagingSystem);
let phones: PhoneNotifications;
let mail: Correspondence;
let ann: Person;

beforeAll(async () => {
  ({ phones, mail, ann } = await addMessagingPeople(system));
});

const platforms = ['apns', 'fcm'] as const;

/** How long hundreds of notifications may take: the tests are about their number and order. */
const SLOW_MACHINE_MS = 100_000;

/** Runs a command of an operator with each platform. */
async function forBothPlatforms(...command: readonly string[]): Promise<void> {
  for (const platform of platforms) {
    const result = await runCarillon(system, [...command, platform]);
    expect(result).toMatchObject({ exitCode: 0 });
  }
}

/** Waits until both phones of a person have shown a message. */
const untilShown = ({ iphone, android }: Reader, messageId: number) =>
  Promise.all([iphone, android].map((phone) => phones.untilShown(phone, 'message', messageId)));

const markRead = (reader: Person, messages: readonly number[]) =>
  reader.api.post('/messages/flags', { messages, op: 'add', flag: 'read' });

describe('A message that was read', () => {
  it("is removed from the reader's phones", async () => {
    const ben = await phones.addReader();
    const read = [idOf(await sendToPeople(ann, [ben])), idOf(await sendToPeople(ann, [ben]))];
    await untilShown(ben, read[1] ?? 0);
    expect(await markRead(ben, read)).toMatchObject(success);
    for (const phone of [ben.iphone, ben.android]) {
      const shown = await phones.untilShown(phone, 'remove', read[1] ?? 0);
      expect(shown.map(({ event }) => event)).toEqual(['message', 'message', 'remove']);
      expect(shown.at(-1)?.messageIds).toEqual(read);
    }
    const [iphone, android] = await Promise.all(
      [ben.iphone, ben.android].map(async ({ token }) =>
        (await system.sandbox.shownOn(token)).at(-1),
      ),
    );
    expect(iphone).toMatchObject({
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      payload: {
        aps: { 'content-available': 1 },
        zulip: { event: 'remove', user_id: ben.id, zulip_message_ids: read.join() },
      },
    });
    expect(android?.payload).toMatchObject({
      message: {
        data: { event: 'remove', user_id: String(ben.id), zulip_message_ids: read.join() },
        android: { priority: 'normal' },
      },
    });
  });

  it('is removed although the worker that had sent it died before the answer', async () => {
    const ben = await phones.addReader();
    const setModes = (mode: { readonly mode: string; readonly delay_ms?: number }) =>
      Promise.all(platforms.map((platform) => system.sandbox.setMode(platform, mode)));
    await setModes({ mode: 'slow', delay_ms: 120_000 });
    const messageId = idOf(await sendToPeople(ann, [ben]));
    await untilShown(ben, messageId);
    await system.kill('push-worker');
    await setModes({ mode: 'ok' });
    await markRead(ben, [messageId]);
    await system.start('push-worker');
    for (const phone of [ben.iphone, ben.android]) {
      const shown = await eventually(async () => {
        const all = await phones.shownOn(phone);
        expect(all.at(-1)).toMatchObject({ event: 'remove', messageIds: [messageId] });
        return all;
        // The lease of the worker has to end.
      }, 90_000);
      expect(shown.map(({ event }) => event)).toEqual(['message', 'remove']);
    }
  }, 150_000);

  it('is removed if its channel is marked as read, or its sender is muted', async () => {
    const [ben, bad] = [
      await phones.addReader({ fullName: 'Ben Yew' }),
      await phones.organisation.addPerson(),
    ];
    const channel = await mail.addChannel([ann, bad, ben]);
    const call = async (sender: Person) =>
      idOf(await sendToChannel(sender, channel, '@**Ben Yew**'));
    const read = [await call(ann), await call(ann)];
    await untilShown(ben, read[1] ?? 0);
    await ben.api.post('/mark_stream_as_read', { stream_id: channel.id });
    const muted = [await call(bad), idOf(await sendToPeople(bad, [ben]))];
    const kept = await call(ann);
    await untilShown(ben, kept);
    await ben.api.post(`/users/me/muted_users/${bad.id}`);
    const shown = await phones.untilShown(ben.iphone, 'remove', muted[1] ?? 0);
    const removed = shown.filter(({ event }) => event === 'remove');
    expect(removed.map(({ messageIds }) => messageIds)).toEqual([read, muted]);
    expect(messageIdsOf(shown)).toEqual([...read, ...muted, kept]);
  });

  it('is neither notified nor removed if it is read before the notification is sent', async () => {
    const ben = await phones.addReader();
    await forBothPlatforms('push', 'pause');
    const read = [idOf(await sendToPeople(ann, [ben])), idOf(await sendToPeople(ann, [ben]))];
    await markRead(ben, read);
    await forBothPlatforms('push', 'resume');
    expect(await phones.messagesOf(ben, ann)).toEqual([]);
    // Removals are the last deliveries.
    await eventually(async () => {
      const deliveries = await deliveriesTo(system.database.database.prisma, ben.id);
      expect(deliveries.map(({ state }) => state)).not.toContain('pending');
    });
    for (const phone of [ben.iphone, ben.android]) {
      expect((await phones.shownOn(phone)).map(({ event }) => event)).toEqual(['message']);
    }
  });
});

describe('A wildcard mention in a channel of 2000 with phones', () => {
  const COUNT = 2000;

  /** Adds people: half of them have an iPhone, half an Android phone. */
  async function addCrowd(crowded: Correspondence): Promise<{ readonly id: number }[]> {
    const { prisma } = system.database.database;
    const people = await crowded.addCrowd(COUNT);
    await prisma.pushDevice.createMany({
      data: people.map(({ id: userId }, number) => {
        const platform = platforms[number % 2] ?? 'fcm';
        const token = platform === 'apns' ? iphoneToken() : androidToken();
        const tokenDigest = new Uint8Array(createHash('sha256').update(token).digest());
        const appId = platform === 'apns' ? DEMO_APP_ID : null;
        return { userId, platform, token, tokenDigest, appId, keyGeneration: 1 };
      }),
    });
    return people;
  }

  // The delay of other notifications depends on the machine: `npm run bench -- push.fairness` measures it.
  it('reaches each account once, and so do direct messages', async () => {
    const organisation = await addOrganisation(system);
    const sender = await organisation.addPerson();
    const ben = await phones.addReader();
    const crowded = new Correspondence(system, organisation);
    const crowd = await addCrowd(crowded);
    const channel = await crowded.addChannel([sender]);
    await system.database.database.prisma.subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ userId, channelId: channel.id })),
    });
    await system.sandbox.forget();
    expect(await sendToChannel(sender, channel, '@**all** Fire drill')).toMatchObject(success);
    const aside = idOf(await sendToPeople(ann, [ben], 'By the way'));
    await untilShown(ben, aside);
    const duplicates = await eventually(async () => {
      const counts = await Promise.all(platforms.map((one) => system.sandbox.counts(one)));
      // Half of the recipients, and the direct message.
      for (const { distinct } of counts) expect(distinct).toBe(COUNT / 2 + 1);
      return counts.map((one) => one.duplicates);
    }, SLOW_MACHINE_MS);
    expect(duplicates).toEqual([0, 0]);
  });
});

describe('Messages of several senders and conversations', () => {
  it('reach a phone once, in the order of each conversation', async () => {
    const ben = await phones.addReader({ fullName: 'Ben Ash' });
    const senders = await phones.organisation.addPeople(4);
    const channels = await Promise.all([1, 2].map(() => mail.addChannel([...senders, ben])));
    const gateways = [system.gatewayUrl, await system.startGateway()];
    // In addition to the worker of the system.
    await startChaosWorkers(system, 1);
    const places = new Map<string, number[]>();
    const send = async (turn: number): Promise<void> => {
      const sender = senders[turn % 4] ?? ann;
      const api = system.api(sender, gateways[turn % 2] ?? '');
      const channel = channels[turn % 3];
      const content = '@**Ben Ash**';
      const place = channel === undefined ? `with ${sender.id}` : `in ${channel.id}`;
      const address =
        channel === undefined
          ? { type: 'direct', to: [ben.id] }
          : { type: 'channel', to: channel.id, topic: 'order' };
      const reply = await api.post('/messages', { ...address, content });
      expect(reply).toMatchObject(success);
      places.set(place, [...(places.get(place) ?? []), idOf(reply)]);
    };
    const turns = Array.from({ length: 200 }, (_, turn) => turn);
    // Each of eight clients sends one message after another.
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (const turn of turns.filter((one) => one % 8 === client)) await send(turn);
      }),
    );
    const shown = await eventually(async () => {
      const messages = messageIdsOf(await phones.shownOn(ben.iphone));
      expect(messages).toHaveLength(200);
      return messages;
      // A phone gets one notification after another.
    }, SLOW_MACHINE_MS);
    expect(new Set(shown).size).toBe(200);
    for (const ids of places.values()) {
      const ofPlace = shown.filter((id) => ids.includes(id));
      expect(ofPlace).toEqual(ofPlace.toSorted((one, other) => one - other));
      expect(ofPlace).toHaveLength(ids.length);
    }
  });
});

describe('A request that is repeated with its Idempotency-Key', () => {
  const times = (count: number, request: () => Promise<{ status: number; text: string }>) =>
    Promise.all(Array.from({ length: count }, request));

  it('is executed once, also after a restart of all programs', async () => {
    const ben = await phones.addReader();
    const form = 'application/x-www-form-urlencoded';
    const headers = { 'content-type': form, 'idempotency-key': randomUUID() };
    const ask = (person: Person, path: string, body: string) => () =>
      person.api.send('POST', path, { headers, body });
    const message = ask(ann, '/messages', `type=direct&to=[${ben.id}]&content=Once`);
    const test = ask(ben, '/mobile_push/test_notification', '');
    const [first] = await times(10, message);
    const [tested] = await times(10, test);
    for (const name of ['api-gateway', 'push-worker'] as const) {
      await system.kill(name);
      await system.start(name);
    }
    for (const { status, text } of await times(10, message)) {
      expect({ status, text }).toEqual({ status: 200, text: first?.text });
    }
    for (const { text } of await times(10, test)) expect(text).toBe(tested?.text);
    const other = await ask(ann, '/messages', `type=direct&to=[${ben.id}]&content=Twice`)();
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    await phones.messagesOf(ben, ann);
    for (const phone of [ben.iphone, ben.android]) {
      const shown = (await phones.shownOn(phone)).map(({ event, text }) =>
        event === 'test' ? event : text,
      );
      expect(shown.toSorted()).toEqual(['Once', 'That is all.', 'test']);
    }
  });
});
