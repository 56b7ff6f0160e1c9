import type { DescribedSubscription } from '#channels';
import { channelAnswer } from './channel.answer.js';

/** A channel as one of its subscribers has it. */
export const subscriptionAnswer = ({ subscribers, ...described }: DescribedSubscription) => ({
  ...channelAnswer(described),
  desktop_notifications: described.channel.desktopNotifications,
  email_notifications: described.channel.emailNotifications,
  push_notifications: described.channel.pushNotifications,
  audible_notifications: described.channel.audibleNotifications,
  wildcard_mentions_notify: described.channel.wildcardMentions,
  pin_to_top: described.channel.isPinned,
  is_muted: described.channel.isMuted,
  in_home_view: !described.channel.isMuted,
  color: described.channel.color,
  ...subscribersAnswer(subscribers),
});

function subscribersAnswer(subscribers: DescribedSubscription['subscribers']) {
  if (subscribers === null) return {};
  const { userIds, isComplete } = subscribers;
  return isComplete ? { subscribers: userIds } : { partial_subscribers: userIds };
}
