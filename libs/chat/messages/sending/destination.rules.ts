import {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  storedTopic,
  type TopicsPolicy,
} from '#chat/channels';
import { isGuest } from '#directory/roles';
import { ApiError, parameterErrors } from '#platform/contracts';
import { messageErrors } from '../messages.errors.js';

/** The channel of a message, as the sender names it. */
export type ChannelReference = { readonly id: number } | { readonly name: string };

/** The distinct recipients of a message, as the sender names them. */
export type RecipientReference =
  { readonly ids: readonly number[] } | { readonly emails: readonly string[] };

/** Without the sender. */
export const MAX_RECIPIENTS = 1000;

/** Parses JSON text: an id or a name, alone or in a list. Other text is a name. */
export function parseChannel(to: string): ChannelReference {
  const given = parsed(to);
  const channel: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (typeof channel === 'string') return { name: channel.trim() };
  if (isInteger(channel)) return { id: channel };
  throw new ApiError(messageErrors.invalidDestination);
}

/**
 * Parses JSON text: a list of ids, a list of email addresses, or a single one of either. Other text is email addresses
 * separated by commas.
 */
export function parseRecipients(to: string): RecipientReference {
  const given = parsed(to);
  const list: readonly unknown[] = Array.isArray(given) ? given : splitAddresses(given);
  const people = [...new Set(list)];
  if (people.length === 0) throw new ApiError(messageErrors.noRecipients);
  if (people.length > MAX_RECIPIENTS) {
    throw new ApiError(messageErrors.tooManyRecipients, { limit: MAX_RECIPIENTS });
  }
  if (people.every(isInteger)) return { ids: people };
  if (people.every(isText)) return { emails: people.map((email) => email.trim()) };
  const isMixed = people.every((person) => isInteger(person) || isText(person));
  throw new ApiError(isMixed ? messageErrors.mixedRecipients : messageErrors.invalidRecipients);
}

/** A text may contain several addresses. */
const splitAddresses = (given: unknown): readonly unknown[] =>
  typeof given === 'string' ? given.split(',').filter((email) => email.trim() !== '') : [given];

function parsed(to: string): unknown {
  try {
    return JSON.parse(to);
  } catch {
    return to;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Numbers outside the safe range lose precision. */
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** The properties of a channel that decide who may send to it. */
interface PostedChannel extends GuardedChannel {
  readonly archivedAt: Date | null;
  readonly canSendMessageId: number;
}

/** Whether an account may send to a channel. A guest must be subscribed. */
export const maySendTo = (channel: PostedChannel, viewer: ChannelViewer): boolean =>
  channel.archivedAt === null &&
  hasContentAccess(channel, viewer) &&
  (!isGuest(viewer.role) || viewer.isSubscribed) &&
  viewer.groups.has(channel.canSendMessageId);

/**
 * The topic to store for a message to a channel; a policy that requires a topic also requires the parameter. Throws
 * ApiError if the policy forbids the given topic.
 */
export function topicFor(policy: TopicsPolicy, given: string | undefined): string {
  if (given === undefined && policy === 'disable_empty_topic') {
    throw new ApiError(parameterErrors.missingParameter, { name: 'topic' }, { var_name: 'topic' });
  }
  const topic = storedTopic(given ?? '');
  if (policy === 'disable_empty_topic' && topic === '') {
    throw new ApiError(messageErrors.topicRequired);
  }
  if (policy === 'empty_topic_only' && topic !== '') {
    throw new ApiError(messageErrors.topicNotAllowed);
  }
  return topic;
}
