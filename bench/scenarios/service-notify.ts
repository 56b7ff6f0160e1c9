import { encryptPayload, makePushKey, tokenIdOf } from '#push/encryption';
import type { Reply } from '../../test/support/http-request.js';
import { RemoteServer } from '../../test/support/remote-server.js';
import { AskingUser } from '../load/asking-user.js';
import { ENCRYPTED_TEST_PATH } from '../load/push-crowd.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { interleave } from '../measure/interleave.js';
import { type Finding, resultOf } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { addClientDevices } from './push-encrypted.js';
import { createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'service.notify';
/** As many as one request may have. */
const DEVICES = 1000;
const WARM_UP_ROUNDS = 8;
const ROUNDS = 15;
const TARGET = 0.8;

/**
 * One request of a remote server with an encrypted notification for each of a thousand phones. The limit is an encrypted
 * test notification to a thousand phones of one account of this installation.
 */
export const serviceNotify: Scenario = { name: NAME, measure };

/** The body of a request with a notification for each token. */
function requestFor(realm: string, tokens: readonly string[]): string {
  const key = makePushKey();
  return JSON.stringify({
    realm_uuid: realm,
    push_requests: tokens.map((token, index) => ({
      token_id: tokenIdOf(token).toString('base64'),
      http_headers: { apns_priority: 10, apns_push_type: 'alert' },
      payload: {
        push_key_id: index,
        encrypted_data: encryptPayload(
          key,
          JSON.stringify({ type: 'test', realm, user_id: index }),
        ),
        aps: { 'mutable-content': 1, alert: { title: 'New notification' }, sound: 'default' },
      },
    })),
  });
}

async function measure(bench: Bench): Promise<Finding> {
  const { gatewayPort, sandboxUrl } = await startPush(bench, NAME);
  const [user] = await createPushUsers(bench, 'service', { realms: 1, usersEach: 1 });
  if (user === undefined) throw new Error('There is no user.');
  const own = newTokens(DEVICES).map((token) => ({ userId: user.userId, token }));
  await addClientDevices(bench, own);
  const server = await RemoteServer.register(`http://127.0.0.1:${gatewayPort}`);
  const tokens = newTokens(DEVICES);
  await bench.world.createRemoteDevices(server.realm, tokens, APP_ID);
  const body = requestFor(server.realm, tokens);
  const direct = await AskingUser.connect(gatewayPort, user, ENCRYPTED_TEST_PATH);
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const shown = new FanOutRounds(new SandboxInbox(sandboxUrl), DEVICES, faults);
  const sendDirect = () => shown.rateOf('direct', () => direct.ask());
  const sendRemote = async () => {
    // The answer comes after the last arrival, with which a round ends.
    let answer: Promise<Reply> | undefined;
    const rate = await shown.rateOf('service', () => {
      answer = server.postJson('/push/e2ee/notify', body);
      return Promise.resolve();
    });
    const sent = (await answer)?.body['apple_successfully_sent_count'];
    faults.addCount('service: not counted as sent', DEVICES - Number(sent));
    return rate;
  };
  try {
    await bench.progress.step(`${NAME}: warm-up`, async () => {
      for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
        await sendDirect();
        await sendRemote();
      }
    });
    const rates = await bench.progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
      interleave(ROUNDS, sendDirect, () => cpu.during(sendRemote)),
    );
    const result = resultOf({
      name: NAME,
      value: rates.ours,
      unit: 'devices/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(ROUNDS * DEVICES),
    });
    return { result, notes: [], faults: faults.list };
  } finally {
    direct.close();
  }
}
