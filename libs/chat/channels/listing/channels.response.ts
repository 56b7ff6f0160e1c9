import type { ChannelDescription } from './channel-describer.js';
import type { CandidateChannel } from './channel-list.repository.js';
import { isDefaultChannel } from '../access/channel-access.rules.js';
import { isForAnnouncements } from './channel-fields.rules.js';
import { byPermissionName } from '../channel-permission-table.rules.js';
import { shownProperties } from '../channel-property-table.rules.js';
import type { SubscriptionDescription } from './channels.service.js';
import { bySubscriptionProperty } from '../subscriptions/subscription-property-table.rules.js';

/** The members of a channel in every list. */
export const toChannelResponse = ({ channel, settings, ...described }: ChannelDescription) => ({
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
  history_public_to_subscribers: described.isHistoryPublic,
  first_message_id: channel.firstMessageId,
  ...shownProperties(channel),
  is_recently_active: described.isRecentlyActive,
  stream_weekly_traffic: described.weeklyTraffic,
  subscriber_count: described.subscriberCount,
  ...byPermissionName((permission) => settings[permission]),
});

/** A channel in the list of channels; with `is_default` if `showsDefault`. */
export const toListedChannelResponse = (
  described: ChannelDescription<CandidateChannel>,
  showsDefault: boolean,
) => ({
  ...toChannelResponse(described),
  ...(showsDefault && { is_default: isDefaultChannel(described.channel) }),
});

/** A channel in the list of subscriptions. */
export const toSubscriptionResponse = ({ subscribers, ...described }: SubscriptionDescription) => ({
  ...toChannelResponse(described),
  ...bySubscriptionProperty((name) => described.channel[name]),
  in_home_view: !described.channel.is_muted,
  ...toSubscribersResponse(subscribers),
});

/** The list of subscribers; without members if they were not requested (null). */
export function toSubscribersResponse(subscribers: SubscriptionDescription['subscribers']) {
  if (subscribers === null) return {};
  const { userIds, isComplete } = subscribers;
  return isComplete ? { subscribers: userIds } : { partial_subscribers: userIds };
}
