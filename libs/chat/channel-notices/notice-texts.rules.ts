import type { ChannelOfNotice } from '#chat/channels';
import { channelLink, quoteBlock, silentGroupMention } from '#platform/markdown';

/** The topic of notices in channels. */
export const NOTICE_TOPIC = 'channel events';

/** The topic of announcements of new channels. */
export const ANNOUNCEMENTS_TOPIC = 'new channels';

// `by` is the account that has changed something, in Markdown.

const link = (channel: ChannelOfNotice): string => channelLink({ channel });

/** The notice for accounts that were subscribed by another one. */
export function subscribedText(by: string, channels: readonly ChannelOfNotice[]): string {
  const [first] = channels;
  if (channels.length === 1 && first !== undefined) {
    return `${by} subscribed you to the channel ${link(first)}.`;
  }
  const list = channels.map((channel) => `* ${link(channel)}`).join('\n');
  return `${by} subscribed you to the following channels:\n\n${list}`;
}

/** The first message of a new channel. */
export function createdText(by: string, channel: ChannelOfNotice): string {
  const kind = channel.isPrivate ? 'Private' : 'Public';
  const about = `**${kind}** channel created by ${by}.`;
  return channel.description === ''
    ? about
    : `${about} **Description:**\n${quoteBlock(channel.description)}`;
}

/** The announcement of new channels. */
export function announcedText(by: string, channels: readonly ChannelOfNotice[]): string {
  const what = channels.length === 1 ? 'a new channel' : 'new channels:';
  return `${by} created ${what} ${channels.map(link).join(', ')}.`;
}

/** The notice for an account that was added to a group by another one. */
export const addedToGroupText = (by: string, groupName: string): string =>
  `${by} added you to the group ${silentGroupMention(groupName)}.`;

/** The notice for an account that was removed from a group by another one. */
export const removedFromGroupText = (by: string, groupName: string): string =>
  `${by} removed you from the group ${silentGroupMention(groupName)}.`;

/** The notice of a change of a channel. */
export const changedText = (by: string, change: string): string => `${by} ${change}`;
