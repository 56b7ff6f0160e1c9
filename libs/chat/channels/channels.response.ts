import type { DescribedChannel } from './channel-describer.js';
import type { CandidateChannel } from './channel-list.repository.js';
import { isDefaultChannel } from './channel-access.rules.js';
import { isForAnnouncements } from './channel-fields.rules.js';
import type { DescribedSubscription } from './channels.service.js';

/** The members of a channel in every list. */
export const toChannelResponse = ({ channel, settings, ...described }: DescribedChannel) => ({
  stream_id: channel.id,
  name: channel.name,
  is_archived: channel.archivedAt !== null,
  description: channel.description,
  rendered_description: described.renderedDescription,
  date_created: Math.floor(channel.createdAt.getTime() / 1000),
  creator_id: channel.creatorId,
  invite_only: channel.isPrivate,
  is_web_public: channel.isWebPublic,
  stream_post_policy: described.postPolicy,
  is_announcement_only: isForAnnouncements(described.postPolicy),
  message_retention_days: channel.messageRetentionDays,
  history_public_to_subscribers: described.isHistoryPublic,
  topics_policy: channel.topicsPolicy,
  first_message_id: channel.firstMessageId,
  folder_id: channel.folderId,
  default_push_notifications: channel.isPushedByDefault,
  is_recently_active: described.isRecentlyActive,
  stream_weekly_traffic: described.weeklyTraffic,
  subscriber_count: described.subscriberCount,
  can_add_subscribers_group: settings.canAddSubscribersId,
  can_remove_subscribers_group: settings.canRemoveSubscribersId,
  can_administer_channel_group: settings.canAdministerChannelId,
  can_delete_any_message_group: settings.canDeleteAnyMessageId,
  can_delete_own_message_group: settings.canDeleteOwnMessageId,
  can_move_messages_out_of_channel_group: settings.canMoveMessagesOutId,
  can_move_messages_within_channel_group: settings.canMoveMessagesWithinId,
  can_resolve_topics_group: settings.canResolveTopicsId,
  can_send_message_group: settings.canSendMessageId,
  can_subscribe_group: settings.canSubscribeId,
  can_create_topic_group: settings.canCreateTopicId,
});

/** A channel in the list of channels; with `is_default` if `showsDefault`. */
export const toListedChannelResponse = (
  described: DescribedChannel<CandidateChannel>,
  showsDefault: boolean,
) => ({
  ...toChannelResponse(described),
  ...(showsDefault && { is_default: isDefaultChannel(described.channel) }),
});

/** A channel in the list of subscriptions. */
export const toSubscriptionResponse = ({ subscribers, ...described }: DescribedSubscription) => ({
  ...toChannelResponse(described),
  desktop_notifications: described.channel.desktopNotifications,
  email_notifications: described.channel.emailNotifications,
  push_notifications: described.channel.pushNotifications,
  audible_notifications: described.channel.audibleNotifications,
  wildcard_mentions_notify: described.channel.wildcardMentions,
  pin_to_top: described.channel.isPinned,
  is_muted: described.channel.isMuted,
  in_home_view: !described.channel.isMuted,
  color: described.channel.color,
  ...toSubscribersResponse(subscribers),
});

/** The list of subscribers; without members if they were not requested (null). */
export function toSubscribersResponse(subscribers: DescribedSubscription['subscribers']) {
  if (subscribers === null) return {};
  const { userIds, isComplete } = subscribers;
  return isComplete ? { subscribers: userIds } : { partial_subscribers: userIds };
}
