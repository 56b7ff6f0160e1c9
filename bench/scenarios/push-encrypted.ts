import { DeviceKeys } from '#push/devices';
import { makePushKey } from '#push/encryption';
import { AskingUser } from '../load/asking-user.js';
import { ENCRYPTED_TEST_PATH, type PushUser, TEST_PATH } from '../load/push-crowd.js';
import { gatherPushLoad, type PushLoad, sendSingly } from '../load/push-load.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { interleave } from '../measure/interleave.js';
import { type Finding, resultOf } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { countRoundTrips, createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const SINGLE = {
  name: 'push.e2ee.single',
  crowd: { realms: 10, usersEach: 100 },
  connections: 64,
  warmUp: 4000,
  notifications: 4000,
  rounds: 7,
  sequential: 100,
  target: 0.9,
};
const FAN_OUT = {
  name: 'push.e2ee.fanout_10000',
  devices: 10_000,
  warmUpRounds: 3,
  rounds: 7,
  target: 0.8,
};

/** Encrypted test notifications for many users with one device each; the limit is the same in plain text. */
export const pushEncryptedSingle: Scenario = { name: SINGLE.name, measure: measureSingle };

/** One encrypted test notification to ten thousand phones of one account; the limit is the same in plain text. */
export const pushEncryptedFanOut: Scenario = { name: FAN_OUT.name, measure: measureFanOut };

/** Stores client devices as they are after a registration; each has a push key of its own. */
export async function addClientDevices(
  { world, programs }: Bench,
  phones: readonly { readonly userId: number; readonly token: string }[],
): Promise<void> {
  const keys = new DeviceKeys(programs.parts.pushKeySecret);
  await world.createClientDevices(
    phones.map((phone, index) => ({
      ...phone,
      keyId: index,
      sealedKey: keys.seal(makePushKey()),
    })),
    APP_ID,
  );
}

const phonesOf = (users: readonly PushUser[]) => {
  const tokens = newTokens(users.length);
  return users.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
};

async function measureSingle(bench: Bench): Promise<Finding> {
  const { name, crowd, connections, notifications, rounds } = SINGLE;
  const { gatewayPort: port, sandboxUrl } = await startPush(bench, name);
  const plainUsers = await createPushUsers(bench, 'plain', crowd);
  const users = await createPushUsers(bench, 'encrypted', crowd);
  await bench.world.createDevices(phonesOf(plainUsers), APP_ID);
  await addClientDevices(bench, phonesOf(users));
  const plans = [
    { port, sandboxUrl, users: plainUsers, path: TEST_PATH },
    { port, sandboxUrl, users, path: ENCRYPTED_TEST_PATH },
  ] as const;
  const plain = await gatherPushLoad(bench.place, plans[0]);
  const encrypted = await gatherPushLoad(bench.place, plans[1]);
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const rateOf = async (design: string, load: PushLoad, count = notifications) => {
    const tally = await load.call('send', connections, count);
    faults.add(design, tally);
    return tally.requests / tally.seconds;
  };
  try {
    await bench.progress.step(`${name}: warm-up`, async () => {
      await rateOf('plain, warming up', plain, SINGLE.warmUp);
      await rateOf('encrypted, warming up', encrypted, SINGLE.warmUp);
    });
    const roundTrips = await bench.progress.step(`${name}: one at a time`, () =>
      countRoundTrips(bench, () => sendSingly(encrypted, SINGLE.sequential)),
    );
    const rates = await bench.progress.step(`${name}: ${rounds} rounds of each`, () =>
      interleave(
        rounds,
        () => rateOf('plain', plain),
        () => cpu.during(() => rateOf('encrypted', encrypted)),
      ),
    );
    return {
      result: resultOf({
        name,
        value: rates.ours,
        unit: 'notifications/s',
        limit: rates.limit,
        target: SINGLE.target,
        cpu_s_per_1000: cpu.perThousand(rounds * notifications),
        ...roundTrips,
      }),
      notes: [],
      faults: faults.list,
    };
  } finally {
    await Promise.all([plain.stop(), encrypted.stop()]);
  }
}

async function measureFanOut(bench: Bench): Promise<Finding> {
  const { name, devices, rounds } = FAN_OUT;
  const { gatewayPort, sandboxUrl } = await startPush(bench, name);
  const users = await createPushUsers(bench, 'sealedfan', { realms: 1, usersEach: 2 });
  const [plainUser, user] = users;
  if (plainUser === undefined || user === undefined) throw new Error('There are no users.');
  const phones = (of: PushUser) =>
    newTokens(devices).map((token) => ({ userId: of.userId, token }));
  await bench.world.createDevices(phones(plainUser), APP_ID);
  await addClientDevices(bench, phones(user));
  const plain = await AskingUser.connect(gatewayPort, plainUser, TEST_PATH);
  const encrypted = await AskingUser.connect(gatewayPort, user, ENCRYPTED_TEST_PATH);
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const shown = new FanOutRounds(new SandboxInbox(sandboxUrl), devices, faults);
  const sendPlain = () => shown.rateOf('plain', () => plain.ask());
  const sendEncrypted = () => shown.rateOf('encrypted', () => encrypted.ask());
  try {
    await bench.progress.step(`${name}: warm-up`, async () => {
      for (let round = 0; round < FAN_OUT.warmUpRounds; round += 1) {
        await sendPlain();
        await sendEncrypted();
      }
    });
    const rates = await bench.progress.step(`${name}: ${rounds} rounds of each`, () =>
      interleave(rounds, sendPlain, () => cpu.during(sendEncrypted)),
    );
    return {
      result: resultOf({
        name,
        value: rates.ours,
        unit: 'devices/s',
        limit: rates.limit,
        target: FAN_OUT.target,
        cpu_s_per_1000: cpu.perThousand(rounds * devices),
      }),
      notes: [],
      faults: faults.list,
    };
  } finally {
    plain.close();
    encrypted.close();
  }
}
