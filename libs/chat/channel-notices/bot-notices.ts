import { Injectable } from '@nestjs/common';
import { type ChannelNotices, type ChannelOfNotice, RealmChannelRepository } from '#chat/channels';
import { type Notice, Notices, type SendNotices } from '#chat/messages';
import type { GroupNotices, MembershipNotice } from '#directory/groups';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import {
  addedToGroupText,
  ANNOUNCEMENTS_TOPIC,
  announcedText,
  changedText,
  createdText,
  NOTICE_TOPIC,
  removedFromGroupText,
  subscribedText,
} from './notice-texts.rules.js';

/** The notices of one change at most, because each is a message of its own. */
const MAX_NOTICES = 100;

/** The notices about channels and groups. */
@Injectable()
export class BotNotices implements ChannelNotices, GroupNotices {
  constructor(
    private readonly notices: Notices,
    private readonly realmChannels: RealmChannelRepository,
  ) {}

  subscribed(
    transaction: Transaction,
    caller: Caller,
    userIds: readonly number[],
    channels: readonly ChannelOfNotice[],
  ): Promise<SendNotices> {
    return this.notices.add(transaction, caller, (by) =>
      userIds.map((userId) => ({
        place: { userIds: [userId] },
        content: subscribedText(by, channels),
      })),
    );
  }

  async created(
    transaction: Transaction,
    caller: Caller,
    channels: readonly ChannelOfNotice[],
  ): Promise<SendNotices> {
    if (!(await this.realmChannels.sendsEvents(transaction, caller.realm.id))) return sendNone;
    return this.notices.add(transaction, caller, (by) =>
      channels.map((channel) => ({
        place: placeIn(channel),
        content: createdText(by, channel),
      })),
    );
  }

  async announced(
    transaction: Transaction,
    caller: Caller,
    channels: readonly ChannelOfNotice[],
  ): Promise<SendNotices> {
    const place = await this.realmChannels.announcements(transaction, caller.realm.id);
    if (place === null) return sendNone;
    return this.notices.add(transaction, caller, (by) => [
      {
        place: placeIn(place, ANNOUNCEMENTS_TOPIC),
        content: announcedText(by, channels),
      },
    ]);
  }

  async changed(
    transaction: Transaction,
    caller: Caller,
    channel: ChannelOfNotice,
    changes: readonly string[],
  ): Promise<SendNotices> {
    if (!(await this.realmChannels.sendsEvents(transaction, caller.realm.id))) return sendNone;
    return this.notices.add(transaction, caller, (by) =>
      changes.map((change) => ({
        place: placeIn(channel),
        content: changedText(by, change),
      })),
    );
  }

  async membersChanged(
    transaction: Transaction,
    caller: Caller,
    { groupName, addedIds, removedIds }: MembershipNotice,
  ): Promise<SendNotices> {
    const others = [...addedIds, ...removedIds].filter((id) => id !== caller.userId);
    if (others.length === 0 || others.length > MAX_NOTICES) return sendNone;
    const added = new Set(addedIds);
    return this.notices.add(transaction, caller, (by) =>
      others.map((userId) => ({
        place: { userIds: [userId] },
        content: added.has(userId)
          ? addedToGroupText(by, groupName)
          : removedFromGroupText(by, groupName),
      })),
    );
  }
}

const sendNone: SendNotices = () => Promise.resolve();

const placeIn = (
  { id, topicsPolicy }: Pick<ChannelOfNotice, 'id' | 'topicsPolicy'>,
  topic = NOTICE_TOPIC,
): Notice['place'] => ({
  channelId: id,
  topic: topicsPolicy === 'empty_topic_only' ? '' : topic,
});
