import type { Transaction } from '#platform/database';

/**
 * The accounts that get an event. They are fixed when the event happens: an account that gains access later does not get
 * the event.
 */
export type Audience =
  | { readonly userIds: readonly number[] }
  | {
      /** All accounts of the organisation, or all but guests. */
      readonly everyone: 'all' | 'members';
      /** Further accounts, for example the guests among the subscribers of a channel. */
      readonly userIds?: readonly number[];
      readonly exceptIds?: readonly number[];
    };

/** Accounts with the same flags of a message. */
export interface ReaderFlags {
  readonly flags: readonly string[];
  readonly userIds: readonly number[];
}

/** The client that caused an event, for the member `local_message_id` of the event in the queue of that client. */
export interface EventOrigin {
  readonly queueId: string;
  readonly localId: string;
}

/** A change that clients learn of. */
export interface NewEvent {
  readonly realmId: number;
  readonly type: string;
  /** The members of the event without `type`, `id` and `flags`: what all queues get, and what the event type renders. */
  readonly body: object;
  readonly audience: Audience;
  /** Whether queues that listen to all public channels get it too; for messages. */
  readonly isPublic?: boolean;
  /** For events with `flags`: the accounts whose flags are not empty. */
  readonly flags?: readonly ReaderFlags[];
  readonly origin?: EventOrigin;
}

/**
 * Events that depend on what other transactions change, for example on who may see an account. They are read when all
 * earlier events of the organisation are committed, so the later one of two concurrent transactions sees the change of
 * the earlier one.
 */
export interface DeferredEvents {
  readonly realmId: number;
  read(transaction: Transaction): Promise<readonly NewEvent[]>;
}

/** The newest event of an organisation. */
export interface EventHead {
  /** 0 without events. */
  readonly position: number;
  /**
   * The time distinguishes the event from a later one in its place, after PostgreSQL has lost the newest events. Null for
   * an event that is no longer stored.
   */
  readonly storedAt: Date | null;
}

/** A committed event. */
export interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly scope: EventScope;
  readonly userIds: readonly number[];
  readonly exceptIds: readonly number[];
  readonly flags: readonly ReaderFlags[] | null;
  readonly origin: EventOrigin | null;
  /** The trace context of the change (W3C Trace Context); null without tracing. */
  readonly traceParent: string | null;
  /** The time of the last statement before the commit. */
  readonly storedAt: Date;
}

/** The accounts of an event besides its listed ones, as the column `events.scope` has it. */
export const eventScopes = { listed: 0, all: 1, members: 2, publicListeners: 3 } as const;
type EventScope = (typeof eventScopes)[keyof typeof eventScopes];

/**
 * The type of an event that ends the sign-in of its accounts, or their earlier queues. Gateways end their held polls; clients
 * never get it.
 */
export const SIGNED_OUT = 'signed_out';

/** Why sign-ins ended: the key of a generation was replaced, or the account was deactivated. */
type SignOut =
  { readonly reason: 'key'; readonly keyGeneration: number } | { readonly reason: 'deactivation' };

/** The event that ends all earlier queues of accounts. The previous release ignores it. */
export const queuesRemoved = (realmId: number, userIds: readonly number[]): NewEvent => ({
  realmId,
  type: SIGNED_OUT,
  body: { reason: 'queues' },
  audience: { userIds },
});

/** The event that ends the sign-ins of an account. */
export const signedOut = (realmId: number, userId: number, signOut: SignOut): NewEvent => ({
  realmId,
  type: SIGNED_OUT,
  body: signOut,
  audience: { userIds: [userId] },
});
