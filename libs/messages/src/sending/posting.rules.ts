import { type ChannelViewer, type GuardedChannel, hasContentAccess } from '#channels';
import { ApiError, roles } from '#contracts';

/** What of a channel decides who may send to it. */
export interface PostedChannel extends GuardedChannel {
  readonly archivedAt: Date | null;
  readonly canSendMessageId: number;
}

/** Whether an account may send to a channel at all. A guest may where they are subscribed, and nowhere else. */
export const maySendTo = (channel: PostedChannel, viewer: ChannelViewer): boolean =>
  channel.archivedAt === null &&
  hasContentAccess(channel, viewer) &&
  (viewer.role < roles.guest || viewer.isSubscribed) &&
  viewer.groups.has(channel.canSendMessageId);

/**
 * The topic of a message to a channel of this policy. Throws ApiError where the policy wants one and none
 * was given, or the other way round.
 */
export function topicFor(
  channel: { readonly name: string; readonly topicsPolicy: string },
  given: string | undefined,
): string {
  const { name, topicsPolicy } = channel;
  const wantsTopic = topicsPolicy === 'inherit' || topicsPolicy === 'disable_empty_topic';
  if (given === undefined && wantsTopic) {
    throw new ApiError('missingParameter', { name: 'topic' }, { var_name: 'topic' });
  }
  const topic = given ?? '';
  if (topicsPolicy === 'disable_empty_topic' && topic === '') {
    throw new ApiError('topicRequired', { name });
  }
  if (topicsPolicy === 'empty_topic_only' && topic !== '') {
    throw new ApiError('topicNotAllowed', { name });
  }
  return topic;
}
