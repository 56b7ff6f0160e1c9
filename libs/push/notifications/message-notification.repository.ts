import { Inject, Injectable } from '@nestjs/common';
import type { NewMessage } from '#chat/messages';
import type { NotificationKind } from '#push/jobs';
import type { Transaction } from '#platform/database';
import { NOTIFICATION_TARGETS } from '#push/devices';
import {
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  toAcceptedDeliveries,
} from './acceptance.repository.js';
import {
  CANDIDATES,
  MARKED_CANDIDATES,
  markedCte,
  WANTED_CANDIDATES,
} from './decision/candidates.repository.js';
import { dueOfHold } from './decision/decision.sql.js';
import type { NotificationContent } from './notification.js';
import type { Hold, Trigger } from './decision/decision.rules.js';
import { pagedCtes } from './pages/page-acceptance.repository.js';
import { LEAST_PAGE } from './pages/page.rules.js';
import { forgottenCte, remindedCte } from './reminders/reminder-plan.repository.js';
import { contentSql, recipientsSql, WANTED_NOW } from './recipients.sql.js';

/** Options of accepted notifications. */
export interface AcceptOptions {
  readonly timeToLiveMs: number;
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
}

/** Messages to remove from the screens of an account's phones. */
export interface Removal {
  readonly userId: number;
  readonly content: NotificationContent & { readonly kind: 'remove' };
}

/** A message whose recipients are notified. */
export type MessageToNotify = Omit<NewMessage, 'recipientCount'>;

/** A message that an account may have to be notified of. */
export interface NotificationCandidate {
  readonly userId: number;
  readonly messageId: number;
  /** The group through which the message mentions the account; null for none. */
  readonly groupId: number | null;
  /** Whether a quiet time of the account has ended: of each conversation only the newest message is notified. */
  readonly isCaughtUp: boolean;
  /** The notification that phones show, if the account is reminded of the message; null if phones do not show it yet. */
  readonly replaces: string | null;
}

/** A message about which an account has been decided. */
export interface DecidedMessage {
  readonly userId: number;
  readonly messageId: number;
  /** Null: it is not held back. */
  readonly hold: Hold | null;
  /** Null: the account does not want it. */
  readonly trigger: Trigger | null;
}

type TargetRow = Omit<AcceptedDeliveriesRow, 'kind'>;

/** The row with the decided candidates. */
interface DecidedRow {
  readonly notification_id: null;
  readonly decided: readonly DecidedMessage[];
}

/** SQL: a UUID of version 7, made of the time and of a random one; `uuidv7()` begins with PostgreSQL 18. */
const NEW_ID = `(
  lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7'
  || substr(gen_random_uuid()::text, 16)
)::uuid`;

/** SQL: gives an id to each row of a query: to each notification. */
const withIds = (wanted: string): string =>
  `SELECT ${NEW_ID} AS id, person.* FROM (${wanted}) AS person`;

/**
 * SQL: CTEs that find the devices of each row of `wanted (user_id, realm_id, key_generation, place, ...)`, in the order
 * of `place`: those of the current key; none for accounts without devices.
 *
 * PostgreSQL cannot estimate the number of rows, and a low estimate would make it choose nested loops. So every
 * join is by an index or a hash.
 */
const targetCtes = (targets: string, wanted: string, condition = 'true'): string => `
  wanted AS MATERIALIZED (${wanted}),
  target AS MATERIALIZED (
    SELECT wanted.*, device.id AS device_id, device.platform, device.fingerprint, device.takes_reminders
    FROM wanted
    JOIN ${targets} device
      ON device.user_id = wanted.user_id AND device.key_generation = wanted.key_generation
      AND ${condition}
    ORDER BY wanted.place
  )`;

/**
 * SQL: CTEs that write a notification for each account of `target`, in the order of its rows, with a delivery for each
 * device. $1 is the time to live, $2 the trace.
 */
const ownRowsCtes = (
  kind: NotificationKind,
  { target = 'target', mayWait = false } = {},
): string => `
  kept AS (
    INSERT INTO push_notifications (id, realm_id, user_id, kind, content, expires_at, trace_parent)
    SELECT DISTINCT ON (id) id, realm_id, user_id, '${kind}', content,
      now() + make_interval(secs => $1), $2
    FROM ${target}
  ),
  delivery AS (
    INSERT INTO push_deliveries (notification_id, device_id, realm_id, platform, may_wait, fingerprint)
    SELECT id, device_id, realm_id, platform, ${mayWait}, fingerprint FROM ${target}
  )`;

const ACCEPTED = `
  SELECT id AS notification_id, user_id, realm_id, platform,
    array_agg(device_id ORDER BY device_id) AS device_ids`;

const MARKED = markedCte('SELECT user_id, $3::bigint AS message_id FROM target');

// The decision about the others is taken again when they have left, or at the end of what holds the message back. An account
// mostly has a row already that says so, which this transaction only shares: no worker decides and deletes it before the message
// is visible. Due times are rounded to seconds, so that one of a second ago has come.
const DEFERRED = `
  later AS MATERIALIZED (
    SELECT user_id,
      CASE WHEN hold IS NULL THEN $3::bigint END AS from_message_id,
      CASE WHEN hold IS NULL THEN CASE WHEN is_away THEN now() - interval '1 s' ELSE away_from END
        ELSE ${dueOfHold("(hold ->> 'until')::float8", "hold ->> 'cause'")} END AS due_at,
      CASE WHEN hold IS NOT NULL THEN $3::bigint END AS held_from_message_id,
      to_timestamp(ceil((hold ->> 'until')::float8)) AS held_until, hold ->> 'cause' AS hold_cause,
      is_away AND hold IS NULL AS is_due
    FROM recipient WHERE NOT is_now
  ),
  shared AS MATERIALIZED (
    SELECT found.user_id
    FROM (SELECT * FROM later WHERE NOT is_due ORDER BY user_id OFFSET 0) AS one
    CROSS JOIN LATERAL (
      SELECT deferral.user_id FROM push_deferrals deferral
      WHERE deferral.user_id = one.user_id AND (
        deferral.from_message_id <= one.from_message_id
        OR deferral.held_from_message_id <= one.held_from_message_id
          AND deferral.held_until <= one.held_until
      )
      LIMIT 1 FOR KEY SHARE
    ) AS found
  ),
  deferred AS (
    INSERT INTO push_deferrals (user_id, from_message_id, due_at, held_from_message_id, held_until, hold_cause)
    SELECT user_id, from_message_id, due_at, held_from_message_id, held_until, hold_cause
    FROM later WHERE user_id NOT IN (SELECT user_id FROM shared)
    ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE
    SET from_message_id = least(push_deferrals.from_message_id, excluded.from_message_id),
      due_at = least(push_deferrals.due_at, excluded.due_at),
      held_from_message_id = least(push_deferrals.held_from_message_id, excluded.held_from_message_id),
      held_until = least(push_deferrals.held_until, excluded.held_until),
      hold_cause = CASE WHEN push_deferrals.held_until <= excluded.held_until OR excluded.held_until IS NULL
        THEN push_deferrals.hold_cause ELSE excluded.hold_cause END
  )`;

const CONTENT = contentSql('$3::bigint');

const notifySql = (targets: string, recipients: string): string => `
  WITH recipient AS MATERIALIZED (${recipients}),
  ${targetCtes(targets, withIds(`SELECT *, ${CONTENT} AS content FROM (${WANTED_NOW}) AS wanted`))},
  ${ownRowsCtes('message')},
  ${MARKED},
  ${DEFERRED},
  ${remindedCte('target', '$3::bigint')}
  ${ACCEPTED} FROM target GROUP BY id, user_id, realm_id, platform`;

// Pages share the content, and their deliveries need no ids.
const notifyInPagesSql = (targets: string, recipients: string): string => `
  WITH recipient AS MATERIALIZED (${recipients}),
  ${targetCtes(targets, WANTED_NOW)},
  ${pagedCtes('target', {
    // They decide the content.
    together: 'realm_id, platform, trigger, group_id',
    // A reminder takes the place of a notification with an id of its own.
    isAlone: 'reminds_after IS NOT NULL AND takes_reminders',
    content: CONTENT,
    expiresAt: 'now() + make_interval(secs => $1)',
    traceParent: '$2',
  })},
  own AS MATERIALIZED (
    SELECT single.*, notified.id, ${CONTENT} AS content
    FROM single JOIN (
      ${withIds('SELECT DISTINCT user_id AS account_id FROM single')}
    ) AS notified ON notified.account_id = single.user_id
    ORDER BY single.place
  ),
  ${ownRowsCtes('message', { target: 'own' })},
  ${MARKED},
  ${DEFERRED},
  ${remindedCte('own', '$3::bigint')}
  ${ACCEPTED}, false AS is_page FROM own GROUP BY id, user_id, realm_id, platform
  UNION ALL
  SELECT id, NULL, realm_id, platform, device_ids, true FROM paged`;

const decideSql = (targets: string): string => `
  WITH candidate AS MATERIALIZED (${CANDIDATES}),
  ${targetCtes(targets, withIds(WANTED_CANDIDATES), '(wanted.replaces IS NULL OR device.takes_reminders)')},
  ${ownRowsCtes('message')},
  ${MARKED_CANDIDATES},
  ${remindedCte('target', 'place')}
  ${ACCEPTED}, NULL::jsonb AS decided
  FROM target GROUP BY id, user_id, realm_id, platform
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, jsonb_agg(jsonb_build_object(
    'userId', user_id, 'messageId', message_id, 'hold', CASE WHEN trigger IS NOT NULL THEN hold END, 'trigger', trigger
  )) FROM candidate`;

const READERS = `
  SELECT account.id AS user_id, account.realm_id, account.key_generation, reader.content,
    reader.place
  FROM unnest($3::int[], $4::jsonb[]) WITH ORDINALITY AS reader (user_id, content, place)
  JOIN users account ON account.id = reader.user_id AND account.is_active`;

const removeSql = (targets: string): string => `
  WITH ${targetCtes(targets, withIds(READERS), 'device.takes_removals')},
  ${ownRowsCtes('remove', { mayWait: true })},
  ${forgottenCte('$3', '$4', '$5')}
  ${ACCEPTED} FROM target GROUP BY id, user_id, realm_id, platform`;

/** The statements that notify, of all recipients or of listed ones. */
const notifyStatements = (targets: string, of: 'all' | 'listed') => {
  const ending = of === 'all' ? '' : '_listed';
  return {
    few: { name: `notify_of_message${ending}`, text: notifySql(targets, recipientsSql(of)) },
    many: { name: `notify_in_pages${ending}`, text: notifyInPagesSql(targets, recipientsSql(of)) },
  };
};

/** Accepts the notifications of messages into the ledger. */
@Injectable()
export class MessageNotificationRepository {
  readonly #notify: Readonly<Record<'all' | 'listed', ReturnType<typeof notifyStatements>>>;
  readonly #decide: string;
  readonly #remove: string;

  /** `targets`: see PUSH_TARGETS. */
  constructor(@Inject(NOTIFICATION_TARGETS) targets: string) {
    this.#notify = {
      all: notifyStatements(targets, 'all'),
      listed: notifyStatements(targets, 'listed'),
    };
    this.#decide = decideSql(targets);
    this.#remove = removeSql(targets);
  }

  /**
   * Accepts a notification for each recipient of a message who is away, and marks the message as pushed; defers the decision about
   * the others: one statement. `recipients` are the number of all, whose rows of the message the transaction must have written or
   * locked, or the ids of some, whose rows it locks.
   */
  async notify(
    transaction: Transaction,
    { id, senderId, channelId, mentionedVia }: MessageToNotify,
    { timeToLiveMs, traceParent }: AcceptOptions,
    recipients: number | readonly number[],
  ): Promise<AcceptedDeliveries[]> {
    const [of, count, listed] =
      typeof recipients === 'number'
        ? (['all', recipients, []] as const)
        : (['listed', recipients.length, [recipients]] as const);
    // Statements for pages cost more than they save if no page can be full enough.
    const { name, text } = this.#notify[of][count < LEAST_PAGE ? 'few' : 'many'];
    const rows = await transaction.query<TargetRow>(name, text, [
      timeToLiveMs / 1000,
      traceParent,
      id,
      senderId,
      channelId,
      Object.fromEntries(mentionedVia),
      ...listed,
    ]);
    return rows.map((row) => toAcceptedDeliveries({ kind: 'message', ...row }));
  }

  /**
   * Decides about unread messages of accounts that have left or are reminded, and accepts the notifications in the order of the
   * messages; after a quiet time of an account for each conversation one, at most ten. Resolves also with the candidates that it
   * has decided about; the others are locked by a concurrent transaction, or read.
   */
  async decide(
    transaction: Transaction,
    candidates: readonly NotificationCandidate[],
    { timeToLiveMs, traceParent }: AcceptOptions,
  ): Promise<{
    readonly accepted: readonly AcceptedDeliveries[];
    readonly decided: readonly DecidedMessage[];
  }> {
    const rows = await transaction.query<TargetRow | DecidedRow>(
      'decide_about_messages',
      this.#decide,
      [
        timeToLiveMs / 1000,
        traceParent,
        candidates.map(({ userId }) => userId),
        candidates.map(({ messageId }) => messageId),
        candidates.map(({ groupId }) => groupId),
        candidates.map(({ isCaughtUp }) => isCaughtUp),
        candidates.map(({ replaces }) => replaces),
      ],
    );
    return {
      accepted: rows.flatMap((row) =>
        row.notification_id === null ? [] : [toAcceptedDeliveries({ kind: 'message', ...row })],
      ),
      decided: rows.flatMap((row) => (row.notification_id === null ? (row.decided ?? []) : [])),
    };
  }

  /** Accepts removals for any number of accounts in one statement; `areRead`: nobody has to be reminded of the messages. */
  async remove(
    transaction: Transaction,
    removals: readonly Removal[],
    { timeToLiveMs, traceParent, areRead = false }: AcceptOptions & { readonly areRead?: boolean },
  ): Promise<AcceptedDeliveries[]> {
    const rows = await transaction.query<TargetRow>('accept_removals', this.#remove, [
      timeToLiveMs / 1000,
      traceParent,
      removals.map(({ userId }) => userId),
      removals.map(({ content: removed }) => JSON.stringify(removed)),
      areRead,
    ]);
    return rows.map((row) => toAcceptedDeliveries({ kind: 'remove', ...row }));
  }
}
