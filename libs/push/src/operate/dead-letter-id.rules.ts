import { isRowId } from '#contracts';

/** Which dead letters of a notification: that of one device, or all. */
export interface DeadLetterKey {
  readonly notificationId: string;
  /** Null stands for every device of the notification. */
  readonly deviceId: number | null;
}

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/(\d{1,10}))?$/i;

/** The id of a dead letter: the notification's, a slash, the device's. */
export const deadLetterId = (notificationId: string, deviceId: number): string =>
  `${notificationId}/${deviceId}`;

/**
 * What an id of a dead letter names; the id of a notification alone names all of its letters. Null for a
 * text that is neither.
 */
export function parseDeadLetterId(id: string): DeadLetterKey | null {
  const [, notificationId, deviceId] = ID.exec(id) ?? [];
  if (notificationId === undefined) return null;
  const key = { notificationId: notificationId.toLowerCase() };
  if (deviceId === undefined) return { ...key, deviceId: null };
  const device = Number(deviceId);
  return isRowId(device) ? { ...key, deviceId: device } : null;
}
