import {
  type FanOutSender,
  type FanOutTally,
  openBareFanOut,
  openOurFanOut,
} from '../fan-out/fan-out-sender.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { cpuText, type Finding, resultOf } from '../results.js';
import { FAN_OUT_WINDOW, FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { apnsAccessOf } from '../limits/apns-access.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.transport';
const TOKENS = 100_000;
const ROUNDS = 3;
const TARGET = 0.7;
const MAX_MIB = 200;

/** A hundred thousand devices through one process: the transport to Apple alone, without queue and ledger. */
export const pushTransport: Scenario = { name: NAME, measure };

async function measure(bench: Bench): Promise<Finding> {
  const { place, programs, progress } = bench;
  const { config } = programs.parts;
  await progress.step(`${NAME}: programs`, () => programs.start('push-sandbox'));
  const inbox = new SandboxInbox(`http://127.0.0.1:${config.ports.sandbox}`);
  const plan = { access: { apns: apnsAccessOf(programs.parts) }, tokens: TOKENS };
  const sample = await progress.step(`${NAME}: a sample`, async () => {
    const one = await openOurFanOut(programs.place, { ...plan, tokens: 1 });
    try {
      await one.call('send', 1);
      return await inbox.lastRequest();
    } finally {
      await one.stop();
    }
  });
  const ours = await openOurFanOut(programs.place, plan);
  const limit = await openBareFanOut(place, plan, sample);
  try {
    return await compare(bench, { ours, limit, inbox });
  } finally {
    await Promise.all([ours.stop(), limit.stop()]);
  }
}

interface Rivals {
  readonly ours: FanOutSender;
  readonly limit: FanOutSender;
  readonly inbox: SandboxInbox;
}

async function compare(bench: Bench, { ours, limit, inbox }: Rivals): Promise<Finding> {
  const faults = new Faults();
  const rounds = new FanOutRounds(inbox, TOKENS, faults);
  const sandbox = cpuClock(bench.programs.pidOf('push-sandbox'));
  const cpu = new CpuUsage({ 'our transport': cpuClock(ours.pid), 'push-sandbox': sandbox });
  const limitCpu = new CpuUsage({ 'bare client': cpuClock(limit.pid), 'push-sandbox': sandbox });
  const peaks: { ours?: number; limit?: number } = {};
  const send = (design: keyof typeof peaks, sender: FanOutSender) =>
    rounds.rateOf(design, async () => {
      const tally = await sender.call('send', FAN_OUT_WINDOW);
      faults.addCount(`${design}: not accepted, such as ${tally.firstFailure}`, refusedOf(tally));
      // Only the first round: the peak of later rounds covers more tokens than those of one round.
      peaks[design] ??= tally.peakMib;
    });

  const rates = await bench.progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => limitCpu.during(() => send('limit', limit)),
      () => cpu.during(() => send('ours', ours)),
    ),
  );
  const total = ROUNDS * TOKENS;
  return {
    result: resultOf({
      name: NAME,
      value: rates.ours,
      unit: 'notifications/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(total),
    }),
    notes: [
      `the limit's CPU each: ${cpuText(limitCpu.perThousand(total))}`,
      `in the first ${TOKENS} the process had at most ${peaks.ours?.toFixed(0)} MiB ` +
        `(to be under ${MAX_MIB}), the bare one ${peaks.limit?.toFixed(0)} MiB`,
    ],
    faults: faults.list,
  };
}

const refusedOf = ({ accepted }: FanOutTally): number => TOKENS - accepted;
