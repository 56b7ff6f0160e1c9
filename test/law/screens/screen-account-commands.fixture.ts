import { Phone } from '#test/phone';
import type { SeededRandom } from '#test/seeded-random';
import { type Member, openQueue } from './screen-member.fixture.js';
import type { LawPhone } from './screen-phone.fixture.js';
import type { Command, ScreenWorld } from './screen-world.fixture.js';

const MOST_PHONES = 4;

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
  const isEncrypted = random.next() < 0.5;
  const platform = random.pick(['apns', 'fcm'] as const);
  if (isEncrypted) await world.addEncrypted(owner, platform);
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
  if (phone === undefined || phone.app.kind !== 'plain') return null;
  await phone.app.app.register(phone.owner.api);
  return phone.owner.api.get('/users/me');
};

const removePhone: Command = async (world, random) => {
  const phone = live(world, random);
  if (phone === undefined) return null;
  const { app, owner } = phone;
  const newestMessage = await world.newestMessage();
  const reply =
    app.kind === 'plain'
      ? await app.app.remove(owner.api)
      : await owner.api.post('/remove_client_device', { device_id: app.deviceId });
  phone.end = { at: nowSeconds(), newestMessage, isRevoked: false };
  return reply;
};

/** All phones of the account have to register again, with another token in this test. */
const replaceKey: Command = async (world, random) => {
  const member = someone(world, random);
  const newestMessage = await world.newestMessage();
  const reply = await member.api.post('/users/me/api_key/regenerate');
  const at = nowSeconds();
  for (const phone of world.phonesOf(member)) {
    phone.end ??= { at, newestMessage, isRevoked: true };
  }
  member.useKey(String(reply.body['api_key']));
  await world.addPlain(member, Phone.iphone());
  await world.addPlain(member, Phone.android());
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
