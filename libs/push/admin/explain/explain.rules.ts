import { topicVisibilities } from '#chat/user-topics';
import { addToCount } from '#platform/core';
import {
  type HoldCause,
  holdOf,
  IDLE_AFTER_SECONDS,
  isAway,
  MAX_REMINDERS,
  triggerOf,
} from '#push/notifications';
import type { NotificationHistory } from '../notification-history.repository.js';
import type { NotificationFacts } from './notification-facts.repository.js';

/** The rule of docs/push-messages.md that decided. Scripts rely on these names. */
type ExplanationReason =
  | 'notified'
  | 'no_message'
  | 'own_message'
  | 'not_a_recipient'
  | 'not_a_person'
  | 'deactivated'
  | 'muted_sender'
  | 'silent'
  | 'read'
  | 'no_device'
  | 'old_devices'
  | 'not_wanted'
  | 'caught_up'
  | HoldCause
  | 'active'
  | 'waiting'
  | 'unknown';

/** One rule, applied to the rows of now. */
interface ExplainedRule {
  readonly rule: string;
  /** Null: the rows do not show it. */
  readonly holds: boolean | null;
  readonly detail: string;
}

/** Why an account was or was not notified of a message. */
export interface Explanation {
  readonly reason: ExplanationReason;
  readonly text: string;
  /** Every rule, in the order of docs/push-messages.md; empty without the message. */
  readonly rules: readonly ExplainedRule[];
  /** The notifications of the message and its removals, the newest first. */
  readonly notifications: readonly NotificationHistory[];
}

type Verdict = Omit<Explanation, 'notifications'>;

interface Rule extends ExplainedRule {
  readonly reason: ExplanationReason;
}

/**
 * Explains with the ledger, and otherwise with the first rule that prevents the notification. The rows are those of now:
 * a setting or a phone that has changed since the message can mislead.
 */
export function explain(
  facts: NotificationFacts | null,
  notifications: readonly NotificationHistory[],
): Verdict {
  const rules = facts === null ? [] : rulesFor(facts);
  const explained = rules.map(({ rule, holds, detail }) => ({ rule, holds, detail }));
  const messages = notifications.filter(({ kind }) => kind === 'message');
  if (messages.length > 0) {
    const isRemoved = notifications.length > messages.length;
    const text = outcomeText(messages, isRemoved) + reminderText(facts);
    return { reason: 'notified', text, rules: explained };
  }
  if (facts === null) return { reason: 'no_message', text: NO_MESSAGE, rules: explained };
  const broken = rules.find(({ holds }) => holds === false);
  const isUndecided = broken === undefined || broken.reason === 'active';
  if (isUndecided && facts.isWaiting) {
    return { reason: 'waiting', text: WAITING, rules: explained };
  }
  if (broken === undefined) {
    return facts.isDeferred || facts.isHeld
      ? { reason: 'waiting', text: DUE, rules: explained }
      : { reason: 'unknown', text: UNKNOWN, rules: explained };
  }
  const isHeldBack = holdCauses.has(broken.reason);
  const text = isHeldBack
    ? `Not notified yet: ${broken.detail}. It is decided again then.`
    : isUndecided && facts.isDeferred
      ? `Not notified yet: ${broken.detail}. ${DEFERRED}`
      : `Not notified: ${broken.detail}.`;
  return { reason: broken.reason, text, rules: explained };
}

const holdCauses: ReadonlySet<string> = new Set(['snoozed', 'quiet_hours', 'delayed']);

const NO_MESSAGE =
  'The organisation of the account has no such message, or it was deleted. The ledger has no notification of it.';

const WAITING =
  'Not notified yet: workers notify the recipients of a message with many of them in pages, and have not reached the account.';

const DEFERRED = 'It is decided again when the account has left.';

const DUE = 'Not notified yet: the account has left, and a worker is about to decide again.';

const UNKNOWN =
  'Every rule would notify now, and the ledger has no notification. Either it is older than PUSH_HISTORY_DAYS, or a setting or a phone has changed since.';

function rulesFor(facts: NotificationFacts): Rule[] {
  return [
    {
      rule: 'from another account',
      holds: !facts.isSender,
      reason: 'own_message',
      detail: facts.isSender ? 'the account sent the message' : 'yes',
    },
    {
      rule: 'recipient',
      holds: facts.isRecipient,
      reason: 'not_a_recipient',
      detail: facts.isRecipient
        ? 'yes'
        : 'the message was not delivered to the account: not subscribed or not in the conversation then',
    },
    {
      rule: 'a person',
      holds: facts.isPerson,
      reason: 'not_a_person',
      detail: facts.isPerson ? 'yes' : 'the account is a bot',
    },
    {
      rule: 'active account',
      holds: facts.isActive,
      reason: 'deactivated',
      detail: facts.isActive ? 'yes' : 'the account is deactivated',
    },
    {
      rule: 'sender not muted',
      holds: !facts.hasMutedSender,
      reason: 'muted_sender',
      detail: facts.hasMutedSender ? 'the account has muted the sender' : 'yes',
    },
    {
      rule: 'a message that notifies',
      holds: !facts.isSilent,
      reason: 'silent',
      detail: facts.isSilent ? 'the message causes no notifications' : 'yes',
    },
    {
      rule: 'unread',
      holds: !facts.isRead,
      reason: 'read',
      detail: facts.isRead ? 'the account has read the message' : 'yes',
    },
    deviceRule(facts),
    triggerRule(facts),
    shownRule(facts),
    quietRule(facts),
    activityRule(facts),
  ];
}

function deviceRule({ devices, oldDevices }: NotificationFacts): Rule {
  const old = `${oldDevices} of an earlier API key`;
  if (devices > 0) {
    const detail = oldDevices > 0 ? `${devices}, and ${old}` : String(devices);
    return { rule: 'phone of the present key', holds: true, reason: 'no_device', detail };
  }
  return {
    rule: 'phone of the present key',
    holds: false,
    ...(oldDevices > 0
      ? {
          reason: 'old_devices',
          detail: `the account has only phones (${old}) that must register again`,
        }
      : { reason: 'no_device', detail: 'the account has no phone' }),
  };
}

function triggerRule(facts: NotificationFacts): Rule {
  const base = { rule: 'wanted by the settings', reason: 'not_wanted' } as const;
  const trigger = triggerOf(facts);
  return trigger === null
    ? { ...base, holds: false, detail: whyNotWanted(facts) }
    : { ...base, holds: true, detail: trigger.replace('_', ' ') };
}

function whyNotWanted({ isInChannel, subscription, topicVisibility }: NotificationFacts): string {
  if (!isInChannel) {
    return 'notifications of direct messages are off (enable_offline_push_notifications)';
  }
  if (subscription === null) return 'the account has left the channel';
  const isTopicMuted = topicVisibility === topicVisibilities.muted;
  return isTopicMuted || (topicVisibility === null && subscription.isMuted)
    ? 'the account has muted the channel or the topic, and is not mentioned'
    : 'the settings of the account and of its subscription want no notification of this message';
}

/** After a quiet time one message stands for its conversation: the others count as pushed, without a notification. */
function shownRule({ isPushed }: NotificationFacts): Rule {
  return {
    rule: 'not shown by another message',
    holds: !isPushed,
    reason: 'caught_up',
    detail: isPushed
      ? 'after a quiet time a newer message was shown in its place, or its notification is older than PUSH_HISTORY_DAYS'
      : 'yes',
  };
}

const holdTexts: Readonly<Record<HoldCause, string>> = {
  snoozed: 'the account has snoozed its phones',
  quiet_hours: 'the account has quiet hours',
  delayed: 'the account wants a delay',
};

function quietRule(facts: NotificationFacts): Rule {
  const base = { rule: 'no quiet time' } as const;
  const trigger = triggerOf(facts);
  const hold = trigger === null ? null : holdOf(facts, trigger, facts.now);
  if (hold === null) return { ...base, holds: true, reason: 'quiet_hours', detail: 'yes' };
  return {
    ...base,
    holds: false,
    reason: hold.cause,
    detail: `${holdTexts[hold.cause]} until ${timeText(hold.until)}`,
  };
}

function activityRule({ activity, wishes, now }: NotificationFacts): Rule {
  const base = { rule: 'away from every screen', reason: 'active' } as const;
  const { activeAt } = activity;
  if (wishes.isPushedOnline)
    return { ...base, holds: true, detail: 'does not matter to the account' };
  if (activeAt === null) return { ...base, holds: true, detail: 'its activity is unknown' };
  const seconds = Math.max(0, Math.floor(now - activeAt));
  if (seconds > IDLE_AFTER_SECONDS) {
    return { ...base, holds: true, detail: `active ${seconds} s ago` };
  }
  return isAway(activity, now)
    ? { ...base, holds: true, detail: 'its last event queue has ended' }
    : {
        ...base,
        holds: false,
        detail: `the account was active ${seconds} s ago, not more than ${IDLE_AFTER_SECONDS} s`,
      };
}

/** A row stays until the next reminder is due, also when the message is read before. */
function reminderText(facts: NotificationFacts | null): string {
  if (facts === null || facts.reminder === null || facts.isRead) return '';
  const { sent, dueAt } = facts.reminder;
  return ` Reminder ${sent + 1} of ${MAX_REMINDERS} is due at ${timeText(dueAt)}, if the message is still unread then.`;
}

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** No service of Web Push tells more. */
const WEB_DELIVERED =
  ' Delivered by Web Push means accepted by the push service, not shown: the browser may be closed.';

/** The outcome of the notifications of a message. */
function outcomeText(messages: readonly NotificationHistory[], isRemoved: boolean): string {
  const counts = new Map<string, number>();
  for (const { states } of messages) {
    for (const [state, count] of Object.entries(states)) {
      addToCount(counts, state, count);
    }
  }
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  const removed = isRemoved ? ' The message was read or deleted later, which removed it.' : '';
  const isByWeb = messages.some(({ deliveries }) =>
    deliveries.some(({ platform, state }) => platform === 'web' && state === 'delivered'),
  );
  const web = isByWeb ? WEB_DELIVERED : '';
  return `Notified: ${parts.length === 0 ? 'to no phone' : parts.join(', ')}.${web}${removed}`;
}
