import { setTimeout as delay } from 'node:timers/promises';
import { isLongRun } from '#test/chaos-run';
import type { SeededRandom } from '#test/seeded-random';
import { eventually } from '#test/eventually';
import { type Member, openQueue } from './screen-member.fixture.js';
import { endFaults } from './screen-faults.fixture.js';
import { type ProcessFaults, violationsOf } from './screen-judge.fixture.js';
import type { ScreenWorld } from './screen-world.fixture.js';

/** Longer than an account is active after its last report. */
const LONG_AGO_SECONDS = 1000;
const FLUSHED_MS = 30_000;
/** How often presence writes, in this test. */
export const FLUSH_MS = 1000;
/** After the end of a short queue in Redis. */
const EXPIRED_MS = 3000;
/** Deliveries that wait for a provider end within this time. Gateways look for expired queues once a minute. */
const REST_MS = 240_000;
/** If nothing is pending, a difference that lasts for so long stays. Passes of workers take a few seconds. */
const UNCHANGED_MS = 12_000;
const PAUSE_MS = 500;

/** How the people of a history leave in the end. */
export type Leaving = 'queues deleted' | 'queues expired' | 'idle';

/** A short run does not wait for the expiry of queues. */
export const waysOfRun: readonly Leaving[] = isLongRun
  ? ['queues deleted', 'queues expired', 'idle']
  : ['queues deleted', 'idle'];

/** Lets everybody leave: each person in one of the ways that the person's queues allow. */
export async function leave(
  world: ScreenWorld,
  random: SeededRandom,
  ways: readonly Leaving[] = waysOfRun,
): Promise<void> {
  for (const member of world.members) {
    if (member.isActive) await endQuiet(member);
    if (member.isActive && member.reportedAt !== null) {
      await leaveBy(world, member, random.pick(ways));
    }
  }
  // Phones show no message twice, whatever they are reminded of.
  await world.makeRemindersDue(world.members.map(({ id }) => id));
}

/** Quiet hours, snoozes and delays end: at rest nothing is held back. */
async function endQuiet(member: Member): Promise<void> {
  await member.api.patch('/settings', {
    push_quiet_hours: [],
    push_snoozed_until: 0,
    push_notifications_delay_period_seconds: 0,
  });
}

/**
 * Ends all queues of a person, or makes the person idle. A queue that has expired before the last report of activity does not
 * tell that the person has left: so each person begins another one before.
 */
export async function leaveBy(world: ScreenWorld, member: Member, way: Leaving): Promise<void> {
  if (way === 'idle') {
    await becomeIdle(world, member);
    return;
  }
  const isShort = way === 'queues expired';
  const last = await openQueue(member, isShort);
  for (const id of member.queues.splice(0)) await member.api.delete('/events', { queue_id: id });
  if (isShort) await expireQueues(world, member);
  else await member.api.delete('/events', { queue_id: last.body['queue_id'] });
}

/** PostgreSQL keeps queues for longer than Redis, in case that Redis is lost. */
async function expireQueues({ system }: ScreenWorld, { id: userId }: Member): Promise<void> {
  await delay(EXPIRED_MS);
  await system.database.database.prisma.eventQueue.updateMany({
    where: { userId },
    data: { expiresAt: new Date() },
  });
}

/** Makes the last activity of a person old, once presence has written it. */
async function becomeIdle(world: ScreenWorld, member: Member): Promise<void> {
  const { prisma } = world.system.database.database;
  const { id: userId, reportedAt } = member;
  await eventually(async () => {
    const row = await prisma.userPresence.findUniqueOrThrow({ where: { userId } });
    if ((row.activeAt ?? 0) < (reportedAt ?? 0)) throw new Error('Presence has not been written.');
  }, FLUSHED_MS);
  // A later report may be written within the second.
  await delay(2 * FLUSH_MS);
  await prisma.userPresence.update({
    where: { userId },
    data: {
      activeAt: { decrement: LONG_AGO_SECONDS },
      idleAt: { decrement: LONG_AGO_SECONDS },
    },
  });
  // The worker looks when the time of the last report is over.
  await prisma.pushDeferral.updateMany({ where: { userId }, data: { dueAt: new Date() } });
}

/** Waits until everything has come to rest, and again after a last message; resolves with the differences that remain. */
export async function untilAtRest(world: ScreenWorld, faults: ProcessFaults): Promise<string[]> {
  await endFaults(world);
  const differences = await differencesAtRest(world, faults);
  if (differences.length > 0) return differences;
  await sendLast(world);
  return differencesAtRest(world, faults);
}

/** Everybody gets one more message. Browsers learn with it which notifications to close. */
async function sendLast(world: ScreenWorld): Promise<void> {
  for (const { isActive, api, id } of world.members) {
    if (!isActive) continue;
    await api.patch('/settings', { enable_offline_push_notifications: true });
    const message = { type: 'direct', to: [id], content: 'This is all.' };
    const { status, text } = await world.admin.api.post('/messages', message);
    if (status !== 200) throw new Error(`The last message was refused: ${text}`);
  }
  world.hasLastMessage = true;
}

async function differencesAtRest(world: ScreenWorld, faults: ProcessFaults): Promise<string[]> {
  const beganAt = performance.now();
  let seen = '';
  let unchangedSince = beganAt;
  for (;;) {
    const pending = await world.pending();
    const violations = pending === 0 ? await violationsOf(world, faults) : ['pending'];
    const now = performance.now();
    const state = `${pending} ${violations.join()}`;
    if (state !== seen) unchangedSince = now;
    else if (violations.length === 0) return [];
    else if (pending === 0 && now > unchangedSince + UNCHANGED_MS) return violations;
    if (now > beganAt + REST_MS) return violations;
    seen = state;
    await delay(PAUSE_MS);
  }
}
