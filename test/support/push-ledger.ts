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
