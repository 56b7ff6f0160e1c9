import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#test/eventually';
import { Phone } from '#test/phone';
import { androidToken, iphoneToken } from '#test/push-tokens';
import type { System } from '#test/start-system';
import { LATE_MS, letFail, type PhoneFault } from './screen-faults.fixture.js';
import { type Member, openQueue } from './screen-member.fixture.js';
import { type Leaving, leaveBy, untilAtRest, waysOfRun } from './screen-rest.fixture.js';
import type { LawPhone, Subscription } from './screen-phone.fixture.js';
import { ScreenWorld } from './screen-world.fixture.js';

/** Google: a message is not repeated sooner. */
const SOONEST_REPETITION_MS = 10_000;

/** Push services: a push is not repeated sooner than after ten seconds. */
const REPEATED_MS = 60_000;

/** Two people; the second one has phones. */
interface Scene {
  readonly world: ScreenWorld;
  readonly sender: Member;
  readonly reader: Member;
}

/** Resolves with the differences that remain at rest, and the history after them. */
type Report = (system: System) => Promise<string[]>;

const report =
  (history: (scene: Scene) => Promise<string[] | void>): Report =>
  async (system) => {
    const world = await ScreenWorld.make(system, 2);
    const scene = { world, sender: world.member(0), reader: world.member(1) };
    const found = (await history(scene)) ?? [];
    const violations = [...found, ...(await untilAtRest(world, { repeats: 0 }))];
    return violations.length === 0 ? [] : [...violations, ...world.log];
  };

async function sendDirect({ sender, reader }: Scene): Promise<number> {
  const message = { type: 'direct', to: [reader.id], content: 'Are you there?' };
  const { body } = await sender.api.post('/messages', message);
  return Number(body['id']);
}

const mentioning = ({ reader }: Scene): string => `@**${reader.name}|${reader.id}** please look`;

async function sendMention(scene: Scene): Promise<number> {
  const { body } = await scene.sender.api.post('/messages', {
    type: 'channel',
    to: scene.world.channel(0).id,
    topic: 'lunch',
    content: mentioning(scene),
  });
  return Number(body['id']);
}

/** What a phone has received, without the token of its subscription. */
const notificationsOn = async ({ system }: ScreenWorld, { token }: LawPhone) =>
  (await system.sandbox.shownOn(token)).filter(
    ({ decrypted }) => decrypted?.['type'] !== 'confirm',
  );

/** Waits until every living phone of the reader has received a push, also one whose answer was not a success. */
async function untilReceived({ world, reader }: Scene, count = 1): Promise<void> {
  await eventually(async () => {
    for (const phone of world.phonesOf(reader)) {
      if (phone.isDead) continue;
      const received = await notificationsOn(world, phone);
      if (received.length < count) throw new Error('A phone has received nothing.');
    }
  });
}

const settleSubscription = (
  { world, reader }: Scene,
  settings: Readonly<Record<string, boolean>>,
) =>
  reader.api.post('/users/me/subscriptions/properties', {
    subscription_data: Object.entries(settings).map(([property, value]) => ({
      stream_id: world.channel(0).id,
      property,
      value,
    })),
  });

const setTopic = ({ world, reader }: Scene, policy: number) =>
  reader.api.post('/user_topics', {
    stream_id: world.channel(0).id,
    topic: 'lunch',
    visibility_policy: policy,
  });

const failAtAll = async (
  { world, reader }: Scene,
  ...[fault, options]: [PhoneFault, { isLasting: boolean }?]
): Promise<void> => {
  for (const phone of world.phonesOf(reader)) await letFail(world, phone, fault, options);
};

/** A message comes while its reader seems to be active; then the reader leaves without reading it. */
const leaving = (way: Leaving): Report =>
  report(async (scene) => {
    const { world, reader } = scene;
    const { body } = await openQueue(reader, false);
    reader.queues.push(String(body['queue_id']));
    reader.reportedAt = Math.floor(Date.now() / 1000);
    await reader.api.post('/users/me/presence', { status: 'active' });
    await sendDirect(scene);
    await leaveBy(world, reader, way);
  });

/** A message is read, or deleted, after a push whose outcome the worker does not know. */
const takenBack = (fault: PhoneFault, way: 'read' | 'deleted'): Report =>
  report(async (scene) => {
    await failAtAll(scene, fault, { isLasting: true });
    const id = await sendDirect(scene);
    await untilReceived(scene);
    if (way === 'deleted') await scene.world.admin.api.delete(`/messages/${id}`);
    else
      await scene.reader.api.post('/messages/flags', { messages: [id], op: 'add', flag: 'read' });
  });

/** An account is notified of a mention that is then edited out. */
const unmentioned = (prepare: (scene: Scene) => Promise<unknown>): Report =>
  report(async (scene) => {
    await prepare(scene);
    const id = await sendMention(scene);
    await untilReceived(scene);
    await scene.sender.api.patch(`/messages/${id}`, { content: 'Never mind' });
  });

const twice = (
  platform: 'apns' | 'fcm',
  register: (scene: Scene, token: string) => Promise<void>,
) =>
  report(async (scene) => {
    await register(scene, platform === 'apns' ? iphoneToken() : androidToken());
    await sendDirect(scene);
  });

const newKey =
  (platform: 'apns' | 'fcm') =>
  async ({ world, reader }: Scene, token: string): Promise<void> => {
    await world.addEncrypted(reader, platform, token);
    await world.addEncrypted(reader, platform, token);
  };

const refreshed =
  (platform: 'apns' | 'fcm') =>
  async ({ world, reader }: Scene, token: string): Promise<void> => {
    const app = platform === 'apns' ? Phone.iphone(token) : Phone.android(token);
    await world.addPlain(reader, app);
    await world.addEncrypted(reader, platform, token);
    await app.register(reader.api);
  };

/** The browser of a person. */
function browserOf({ world, reader }: Scene): LawPhone & { readonly app: Subscription } {
  for (const phone of world.phonesOf(reader)) {
    if (phone.app.kind === 'browser') return Object.assign(phone, { app: phone.app });
  }
  throw new Error('There is no browser.');
}

/** What a browser has got about a message. */
const gotOf = async (scene: Scene, phone: LawPhone, id: number) =>
  (await notificationsOn(scene.world, phone)).filter(
    ({ decrypted }) => decrypted?.['message_id'] === id,
  );

/** Histories that once ended with a wrong screen. */
export const reports: Readonly<Record<string, Report>> = {
  ...Object.fromEntries(
    waysOfRun.map((way) => [`A reader who seems active and leaves (${way})`, leaving(way)]),
  ),
  'A message that is read after a late answer': takenBack('late', 'read'),
  'A message that is read after a lost answer': takenBack('lostAnswer', 'read'),
  'A message that is read after a push that was shown and answered with 503': takenBack(
    'shownThenUnavailable',
    'read',
  ),
  'A message that is deleted after a push that was shown and answered with 503': takenBack(
    'shownThenUnavailable',
    'deleted',
  ),
  'Answers of Google that are late': report(async (scene) => {
    const { world, reader } = scene;
    const android = world.phonesOf(reader).find(({ platform }) => platform === 'fcm');
    if (android === undefined) throw new Error('There is no Android phone.');
    const { token } = android;
    await world.system.sandbox.answer(token, { platform: 'fcm', delay_ms: LATE_MS });
    await sendDirect(scene);
    await untilReceived(scene);
    await delay(SOONEST_REPETITION_MS - 500);
    const { length } = await world.system.sandbox.shownOn(token);
    return length === 1 ? [] : [`${android.name}: got the message ${length} times in 10 s`];
  }),
  'A mention that is edited out in a muted topic': unmentioned(async (scene) => {
    await settleSubscription(scene, { push_notifications: true });
    await setTopic(scene, 1);
  }),
  'A mention that is edited out in a muted channel': unmentioned((scene) =>
    settleSubscription(scene, { push_notifications: true, is_muted: true }),
  ),
  'A mention that is edited out in a followed topic without notifications': unmentioned(
    async (scene) => {
      await setTopic(scene, 3);
      await scene.reader.api.patch('/settings', {
        enable_followed_topic_push_notifications: false,
      });
    },
  ),
  'A browser that is off while a push is repeated': report(async (scene) => {
    const browser = browserOf(scene);
    await letFail(scene.world, browser, 'off');
    await letFail(scene.world, browser, 'late');
    const id = await sendDirect(scene);
    const { sandbox } = scene.world.system;
    await eventually(async () => {
      const held = await sandbox.deliveries({ token: browser.token });
      if (held.filter(({ reason }) => reason === 'held').length < 2) throw new Error('Not yet.');
    }, REPEATED_MS);
    await sandbox.switchBrowser(browser.token, true);
    const { length } = await gotOf(scene, browser, id);
    return length === 1 ? [] : [`${browser.name}: got the message ${length} times`];
  }),
  'A browser of two accounts': report(async (scene) => {
    const { world, sender, reader } = scene;
    const { app } = browserOf(scene);
    await world.addSubscription(sender, 'browser', app.browser);
    const to = [sender.id, reader.id];
    const message = { type: 'direct', to, content: 'Hello, both of you' };
    const { body } = await world.admin.api.post('/messages', message);
    await untilReceived(scene);
    await sender.api.post('/messages/flags', { messages: [body['id']], op: 'add', flag: 'read' });
  }),
  'A subscription that its push service has forgotten': report(async (scene) => {
    const { reader, world } = scene;
    const browser = browserOf(scene);
    await letFail(world, browser, 'dead');
    await sendDirect(scene);
    await eventually(async () => {
      const { body } = await reader.api.get('/users/me/web_push_subscriptions');
      const listed = body['web_push_subscriptions'] as readonly { subscription_id: number }[];
      const isKnown = listed.some(({ subscription_id: id }) => id === browser.app.subscriptionId);
      if (isKnown || listed.length === 0) throw new Error('Another list was expected.');
    });
    const asked = await world.system.sandbox.deliveries({ token: browser.token });
    await sendDirect(scene);
    await untilReceived(scene, 2);
    const { length } = await world.system.sandbox.deliveries({ token: browser.token });
    return length === asked.length ? [] : [`${browser.name}: the service was asked again`];
  }),
  'An iPhone that registers again with a new push key': twice('apns', newKey('apns')),
  'An Android phone that registers again with a new push key': twice('fcm', newKey('fcm')),
  'An iPhone that registers encrypted and in plain text': twice('apns', refreshed('apns')),
  'An Android phone that registers encrypted and in plain text': twice('fcm', refreshed('fcm')),
  'A mention that is edited in again while its removal fails': report(async (scene) => {
    const id = await sendMention(scene);
    await untilReceived(scene);
    await failAtAll(scene, 'unavailable');
    await scene.sender.api.patch(`/messages/${id}`, { content: 'Never mind' });
    await eventually(async () => {
      for (const { token, app } of scene.world.phonesOf(scene.reader)) {
        if (app.kind === 'browser') continue;
        const all = await scene.world.system.sandbox.deliveries({ token });
        if (!all.some(({ status }) => status === 503)) throw new Error('Nothing was refused.');
      }
    });
    await scene.sender.api.patch(`/messages/${id}`, { content: mentioning(scene) });
  }),
};
