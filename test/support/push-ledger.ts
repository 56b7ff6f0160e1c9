import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database';

type Prisma = Database['prisma'];

/** The condition for deliveries of an account's notifications. */
export async function notified(prisma: Prisma, userId: number) {
  const notifications = await prisma.pushNotification.findMany({ where: { userId } });
  return { notificationId: { in: notifications.map(({ id }) => id) } };
}

/** The deliveries of an account's notifications, in the order of acceptance: those with rows of their own, then those of pages. */
export async function deliveriesTo(prisma: Prisma, userId: number) {
  const own = await prisma.pushDelivery.findMany({
    where: await notified(prisma, userId),
    orderBy: { sequence: 'asc' },
  });
  return [...own, ...(await pagedTo(prisma, userId))];
}

/** The number of deliveries that have not ended, of all organisations or one; an open page counts as one. */
export async function pendingIn(prisma: Prisma, realmId?: number): Promise<number> {
  const where = realmId === undefined ? {} : { realmId };
  const [own, pages] = await Promise.all([
    prisma.pushDelivery.count({ where: { ...where, state: 'pending' } }),
    prisma.pushPage.count({ where: { ...where, isOpen: true } }),
  ]);
  return own + pages;
}

/** Longer than a lease, and the longest time until a waiting delivery is claimed again. */
const STALL_MS = 120_000;
/** Rarely, because a count takes time from the workers. */
const LOOK_MS = 300;

/**
 * Waits until every delivery has ended, also those of messages that workers have yet to fan out. However slow the machine is, it
 * rejects only when their number has not fallen for two minutes.
 */
export async function untilDrained(prisma: Prisma): Promise<void> {
  let fewest = { fanOuts: Infinity, pending: Infinity };
  let fellAt = performance.now();
  for (;;) {
    const left = { fanOuts: await prisma.pushFanOut.count(), pending: await pendingIn(prisma) };
    if (left.fanOuts + left.pending === 0) return;
    const now = performance.now();
    // The pages of a message become pending as it is fanned out.
    const hasFallen =
      left.fanOuts < fewest.fanOuts ||
      (left.fanOuts === fewest.fanOuts && left.pending < fewest.pending);
    if (hasFallen) [fewest, fellAt] = [left, now];
    else if (now - fellAt > STALL_MS) throw new Error(await describePending(prisma, left.fanOuts));
    await delay(LOOK_MS);
  }
}

async function describePending(prisma: Prisma, fanOuts: number): Promise<string> {
  const own = await prisma.pushDelivery.groupBy({
    by: ['platform', 'reason', 'attempts'],
    where: { state: 'pending' },
    _count: true,
    _min: { dueAt: true },
  });
  const pages = await prisma.pushPage.count({ where: { isOpen: true } });
  return `Still pending: ${fanOuts} fan-outs, ${pages} pages, ${JSON.stringify(own)}`;
}

const STATES: Readonly<Record<string, string>> = {
  p: 'pending',
  d: 'delivered',
  w: 'withdrawn',
  e: 'expired',
  r: 'revoked',
};

/** The deliveries of an account in pages, without those that have rows of their own. */
export async function pagedTo(prisma: Prisma, userId: number) {
  const pages = await prisma.pushPage.findMany({
    where: { userIds: { has: userId } },
    orderBy: { sequence: 'asc' },
  });
  return pages.flatMap((page) =>
    page.userIds.flatMap((id, index) => {
      const state = STATES[page.states.charAt(index)];
      if (id !== userId || state === undefined) return [];
      const attempts = state === 'delivered' ? 1 : 0;
      const { platform, sequence, dueAt, acceptedAt } = page;
      const delivery = { deviceId: page.deviceIds[index] ?? 0, platform, state, attempts };
      const notificationId = page.notificationId ?? page.id;
      const times = { sequence, dueAt, acceptedAt };
      return {
        ...delivery,
        ...times,
        notificationId,
        reason: null,
        mayWait: false,
        fingerprint: null,
      };
    }),
  );
}
