import type { Database } from '#database';

type Prisma = Database['prisma'];

/** The condition that a delivery is of something that an account was notified of. */
export async function notified(prisma: Prisma, userId: number) {
  const notifications = await prisma.pushNotification.findMany({ where: { userId } });
  return { notificationId: { in: notifications.map(({ id }) => id) } };
}

/** The deliveries of all that an account was notified of, in the order of their acceptance. */
export async function deliveriesTo(prisma: Prisma, userId: number) {
  return prisma.pushDelivery.findMany({
    where: await notified(prisma, userId),
    orderBy: { sequence: 'asc' },
  });
}
