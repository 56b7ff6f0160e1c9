import { eventScopes, type LoggedEvent } from '#events/log';

/** An event for the listed accounts, none unless `more` has some. */
export const loggedEvent = (position: number, more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  position,
  type: 'thing',
  body: { op: 'add', value: position },
  scope: eventScopes.listed,
  userIds: [],
  exceptIds: [],
  flags: null,
  origin: null,
  traceParent: null,
  storedAt: new Date(0),
  ...more,
});
