import type { NoticedChannel } from '#chat/channels';
import {
  channelLink,
  quoteBlock,
  silentGroupMention,
  silentUserMention as mention,
} from '#platform/markdown';

/** The topic of notices in channels. */
export const NOTICE_TOPIC = 'channel events';

/** The topic of announcements of new channels. */
export const ANNOUNCEMENTS_TOPIC = 'new channels';

/** The account that has changed something. */
interface Actor {
  readonly id: number;
  readonly fullName: string;
}

const link = (channel: NoticedChannel): string => channelLink({ channel });

/** The notice for accounts that were subscribed by another one. */
export function subscribedText(actor: Actor, channels: readonly NoticedChannel[]): string {
  const [first] = channels;
  if (channels.length === 1 && first !== undefined) {
    return `${mention(actor)} subscribed you to the channel ${link(first)}.`;
  }
  const list = channels.map((channel) => `* ${link(channel)}`).join('\n');
  return `${mention(actor)} subscribed you to the following channels:\n\n${list}`;
}

/** The first message of a new channel. */
export function createdText(actor: Actor, channel: NoticedChannel): string {
  const kind = channel.isPrivate ? 'Private' : 'Public';
  const about = `**${kind}** channel created by ${mention(actor)}.`;
  return channel.description === ''
    ? about
    : `${about} **Description:**\n${quoteBlock(channel.description)}`;
}

/** The announcement of new channels. */
export function announcedText(actor: Actor, channels: readonly NoticedChannel[]): string {
  const what = channels.length === 1 ? 'a new channel' : 'new channels:';
  return `${mention(actor)} created ${what} ${channels.map(link).join(', ')}.`;
}

/** The notice for an account that was added to a group by another one. */
export const addedToGroupText = (actor: Actor, groupName: string): string =>
  `${mention(actor)} added you to the group ${silentGroupMention(groupName)}.`;

/** The notice for an account that was removed from a group by another one. */
export const removedFromGroupText = (actor: Actor, groupName: string): string =>
  `${mention(actor)} removed you from the group ${silentGroupMention(groupName)}.`;

/** The notice of a change of a channel. */
export const changedText = (actor: Actor, change: string): string => `${mention(actor)} ${change}`;
