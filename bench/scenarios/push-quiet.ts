import { AskingUser } from '../load/asking-user.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { interleave } from '../measure/interleave.js';
import { type CpuShares, type Finding, resultOf } from '../results.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { scenarioWith } from './missing-feature.js';
import { prepareChannel } from './push-fan-out.js';
import { pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.channel_10000.quiet';
const WARM_UP_ROUNDS = 4;
/** Many: the difference is small. */
const ROUNDS = 15;
const TARGET = 0.97;

/**
 * A message to ten thousand people with quiet hours, which are not now. The limit is the same for as many people without
 * them, in turn.
 */
export const pushQuiet: Scenario = scenarioWith(
  { title: 'quiet hours', table: 'users', column: 'push_quiet_times' },
  NAME,
  measure,
);

async function measure(bench: Bench): Promise<Finding> {
  const { gatewayPort, sandboxUrl } = await startPush(bench, NAME);
  const plain = await prepareChannel(bench, 'awake');
  const quiet = await prepareChannel(bench, 'quiet');
  await bench.world.addQuietNights(quiet.userIds);
  await bench.world.vacuum();
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const plainCpu = pushCpu(bench);
  const shown = new FanOutRounds(new SandboxInbox(sandboxUrl), quiet.tokens.length, faults);
  const plainSender = await AskingUser.connect(gatewayPort, plain.user, plain.path);
  const quietSender = await AskingUser.connect(gatewayPort, quiet.user, quiet.path);
  const sendPlain = () => shown.rateOf('without quiet hours', () => plainSender.ask(plain.fields));
  const sendQuiet = () => shown.rateOf('with quiet hours', () => quietSender.ask(quiet.fields));
  const total = ROUNDS * quiet.tokens.length;
  try {
    await bench.progress.step(`${NAME}: warm-up`, async () => {
      for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
        await sendPlain();
        await sendQuiet();
      }
    });
    const rates = await bench.progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
      interleave(
        ROUNDS,
        () => plainCpu.during(sendPlain),
        () => cpu.during(sendQuiet),
      ),
    );
    const [ours, limit] = [cpu.perThousand(total), plainCpu.perThousand(total)];
    return {
      result: resultOf({
        name: NAME,
        value: rates.ours,
        unit: 'devices/s',
        limit: rates.limit,
        target: TARGET,
        cpu_s_per_1000: ours,
        limit_cpu_s_per_1000: limit,
      }),
      notes: [
        `all CPU with quiet hours to that without: ${(sumOf(ours) / sumOf(limit)).toFixed(3)}`,
      ],
      faults: faults.list,
    };
  } finally {
    plainSender.close();
    quietSender.close();
  }
}

const sumOf = (shares: CpuShares): number =>
  Object.values(shares).reduce((sum, seconds) => sum + seconds, 0);
