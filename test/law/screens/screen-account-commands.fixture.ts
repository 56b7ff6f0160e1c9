import { Phone } from '#test/phone';
import type { Reply } from '#test/http-request';
import type { SeededRandom } from '#test/seeded-random';
import { type Member, openQueue } from './screen-member.fixture.js';
import type { LawPhone } from './screen-phone.fixture.js';
import { type Command, type ScreenWorld, WEB_PUSH_PATH } from './screen-world.fixture.js';

const MOST_PHONES = 6;

const someone = (world: ScreenWorld, random: SeededRandom): Member =>
  random.pick(world.members.filter(({ isActive }) => isActive));

const nowSeconds = (): number => Date.now() / 1000;

const reportActive: Command = async (world, random) => {
  const member = someone(world, random);
  member.reportedAt ??= Math.floor(nowSeconds());
  return member.api.post('/users/me/presence', { status: 'active', new_user_input: true });
};

const reportIdle: Command = async (world, random) =>
  someone(world, random).api.post('/users/me/presence', { status: 'idle' });

const beginQueue: Command = async (world, random) => {
  const member = someone(world, random);
  const reply = await openQueue(member, random.next() < 0.4);
  if (reply.status === 200) member.queues.push(String(reply.body['queue_id']));
  return reply;
};

const deleteQueue: Command = async (world, random) => {
  const member = someone(world, random);
  const known = member.queues.shift();
  const id = known ?? String((await openQueue(member, false)).body['queue_id']);
  return member.api.delete('/events', { queue_id: id });
};

const addPhone: Command = async (world, random) => {
  const owner = someone(world, random);
  const own = world.phonesOf(owner).filter(({ end }) => end === null);
  if (own.length >= MOST_PHONES) return null;
  const platform = random.pick(['apns', 'fcm', 'web'] as const);
  if (platform === 'web')
    return world.addSubscription(owner, random.pick(['browser', 'unifiedpush']));
  if (random.next() < 0.5) await world.addEncrypted(owner, platform);
  else await world.addPlain(owner, platform === 'apns' ? Phone.iphone() : Phone.android());
  return owner.api.get('/users/me');
};

const live = (world: ScreenWorld, random: SeededRandom): LawPhone | undefined =>
  random.shuffled(
    world.phones.filter(({ end, isDead, owner }) => !end && !isDead && owner.isActive),
  )[0];

/** As apps do at each start. */
const registerAgain: Command = async (world, random) => {
  const phone = live(world, random);
  if (phone === undefined || phone.app.kind === 'encrypted') return null;
  if ('browser' in phone.app) return world.subscribe(phone.owner, phone.app);
  await phone.app.app.register(phone.owner.api);
  return phone.owner.api.get('/users/me');
};

const removePhone: Command = async (world, random) => {
  const phone = live(world, random);
  if (phone === undefined) return null;
  const { app, owner } = phone;
  const newestMessage = await world.newestMessage();
  const reply = await remove(owner, app);
  phone.end = { at: nowSeconds(), newestMessage, isRevoked: false };
  return reply;
};

function remove({ api }: Member, app: LawPhone['app']): Promise<Reply> {
  switch (app.kind) {
    case 'plain':
      return app.app.remove(api);
    case 'encrypted':
      return api.post('/remove_client_device', { device_id: app.deviceId });
    default:
      return api.delete(WEB_PUSH_PATH, { subscription_id: app.subscriptionId });
  }
}

/** All phones of the account have to register again, in this test with another token; a browser may have the same. */
const replaceKey: Command = async (world, random) => {
  const member = someone(world, random);
  const newestMessage = await world.newestMessage();
  const reply = await member.api.post('/users/me/api_key/regenerate');
  const at = nowSeconds();
  const known = world.phonesOf(member).filter(({ end, isDead }) => end === null && !isDead);
  for (const phone of world.phonesOf(member)) {
    phone.end ??= { at, newestMessage, isRevoked: true };
  }
  member.useKey(String(reply.body['api_key']));
  await world.addPhones(member);
  // A page that signs in again has the subscription of before.
  const again = random.shuffled(known.map(({ app }) => app)).find((app) => 'browser' in app);
  if (again !== undefined) await world.addSubscription(member, again.kind, again.browser);
  return reply;
};

const deactivate: Command = async (world, random) => {
  // Two have to remain, who write to each other.
  const active = world.members.filter(({ isActive }) => isActive);
  if (active.length < 3) return null;
  const member = random.pick(active);
  const newestMessage = await world.newestMessage();
  member.isActive = false;
  const reply = await world.admin.api.delete(`/users/${member.id}`);
  for (const phone of world.phonesOf(member)) {
    phone.end ??= { at: nowSeconds(), newestMessage, isRevoked: false };
  }
  return reply;
};

/** The commands that change accounts, their presence and their phones. */
export const accountCommands = {
  presence: { reportActive, reportIdle },
  queues: { beginQueue, deleteQueue },
  devices: { addPhone, registerAgain, removePhone },
  keys: { replaceKey },
  accounts: { deactivate },
} as const;
