import type { Database } from '#platform/database';

type Prisma = Database['prisma'];

/** The condition for deliveries of an account's notifications. */
export async function notified(prisma: Prisma, userId: number) {
  const notifications = await prisma.pushNotification.findMany({ where: { userId } });
  return { notificationId: { in: notifications.map(({ id }) => id) } };
}

/** The deliveries of an account's notifications, in the order of acceptance. */
export async function deliveriesTo(prisma: Prisma, userId: number) {
  return prisma.pushDelivery.findMany({
    where: await notified(prisma, userId),
    orderBy: { sequence: 'asc' },
  });
}
