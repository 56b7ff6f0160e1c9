import { isRowId } from '#platform/contracts';

/** The key of a dead letter, or of all letters of a notification. */
export interface DeadLetterKey {
  readonly notificationId: string;
  /** Null: all devices. */
  readonly deviceId: number | null;
}

/** The dead letters that an operator chooses. */
export type DeadLetterChoice =
  | { readonly ids: readonly DeadLetterKey[] }
  /** As the provider spells it. */
  | { readonly reason: string }
  | { readonly all: true };

/** The conditions of a choice; null for no condition. */
export const conditionsOf = (choice: DeadLetterChoice) => ({
  keys: 'ids' in choice ? choice.ids : null,
  reason: 'reason' in choice ? choice.reason : null,
});

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/(\d{1,10}))?$/i;

/** The id of a dead letter: the notification's, a slash, the device's. */
export const deadLetterId = (notificationId: string, deviceId: number): string =>
  `${notificationId}/${deviceId}`;

/**
 * Parses the id of a dead letter; the id of a notification alone names all of its letters. Null for other
 * texts.
 */
export function parseDeadLetterId(id: string): DeadLetterKey | null {
  const [, notificationId, deviceId] = ID.exec(id) ?? [];
  if (notificationId === undefined) return null;
  const key = { notificationId: notificationId.toLowerCase() };
  if (deviceId === undefined) return { ...key, deviceId: null };
  const device = Number(deviceId);
  return isRowId(device) ? { ...key, deviceId: device } : null;
}
