import { setTimeout as delay } from 'node:timers/promises';
import { AskingUser } from '../load/asking-user.js';
import type { PushUser } from '../load/push-crowd.js';
import type { SandboxInbox } from '../load/sandbox-inbox.js';
import type { Losses } from '../results.js';
import type { Design } from '../rivals/rival.js';
import type { Bench } from './scenario.js';

/** BullMQ takes jobs of a dead worker for stalled after 30 to 60 seconds, and Carillon leases for ended after as long. */
const QUIET_MS = 90_000;
const POLL_MS = 500;
const HALF_POLL_MS = 5;
const HALF_DEADLINE_MS = 120_000;

/** A fan-out that is disturbed. */
export interface LossPlan {
  readonly bench: Bench;
  readonly inbox: SandboxInbox;
  /** It has so many phones. */
  readonly account: PushUser;
  readonly phones: number;
}

type Disturbance = (design: Design) => Promise<void>;

/** Disturbs fan-outs when half of them has arrived; resolves with what never arrived, and what arrived twice. */
export async function lossesOf(plan: LossPlan, design: Design): Promise<Losses> {
  const killed = await disturb(plan, design, (one) => one.kill());
  const emptied = await disturb(plan, design, async (one) => {
    await plan.bench.redis.empty();
    await one.stop();
  });
  return {
    'lost when killed': killed.lost,
    'sent twice when killed': killed.twice,
    'lost when Redis is emptied': emptied.lost,
    'sent twice when Redis is emptied': emptied.twice,
  };
}

async function disturb(
  { inbox, account, phones }: LossPlan,
  design: Design,
  disturbance: Disturbance,
): Promise<{ lost: number; twice: number }> {
  await inbox.forget();
  await design.start();
  try {
    const user = await AskingUser.connect(design.port, account);
    // An accepted request: its answer comes before half of the phones are reached.
    await user.ask();
    user.close();
    const reached = await untilHalf(inbox, phones);
    if (reached >= phones)
      throw new Error(`${design.name}: all phones were reached before the fault.`);
    await disturbance(design);
    await design.start();
    await untilQuiet(inbox);
    return await inbox.lossesOf(phones);
  } finally {
    await design.stop();
  }
}

/** Resolves with how many were reached then. */
async function untilHalf(inbox: SandboxInbox, phones: number): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { attempts } = await inbox.arrivals();
    if (attempts >= phones / 2) return attempts;
    if (performance.now() - startedAt > HALF_DEADLINE_MS)
      throw new Error('The fan-out stands still.');
    await delay(HALF_POLL_MS);
  }
}

/** Waits until no request has arrived for so long that none can come. */
async function untilQuiet(inbox: SandboxInbox): Promise<void> {
  let { attempts } = await inbox.arrivals();
  let changedAt = performance.now();
  while (performance.now() - changedAt < QUIET_MS) {
    await delay(POLL_MS);
    const { attempts: now } = await inbox.arrivals();
    if (now !== attempts) changedAt = performance.now();
    attempts = now;
  }
}
