/** The topic on which a worker tells what came of a notification that somebody waits for. */
export const heardOf = (notificationId: string): string => `notification-${notificationId}`;
