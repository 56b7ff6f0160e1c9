import { Injectable, Logger } from '@nestjs/common';
import type { ChannelNotices, NoticedChannel } from '#chat/channels';
import { MessageSender, type ServerMessage } from '#chat/messages';
import type { GroupNotices, NoticedMembers } from '#directory/groups';
import { SystemBots, UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { errorText } from '#platform/core';
import {
  addedToGroupText,
  changedText,
  createdText,
  NOTICE_TOPIC,
  removedFromGroupText,
  subscribedText,
} from './notice-texts.rules.js';

const CLIENT = 'Carillon';

type Delivery = Pick<ServerMessage, 'place' | 'content'>;

/** The notices of one change at most, because each is a message of its own. */
const MOST_NOTICES = 100;

/** Sends the notices about channels and groups as messages of the Notification Bot, one after the other. */
@Injectable()
export class BotNotices implements ChannelNotices, GroupNotices {
  readonly #logger = new Logger(BotNotices.name);

  constructor(
    private readonly sender: MessageSender,
    private readonly systemBots: SystemBots,
    private readonly access: UserAccess,
  ) {}

  async subscribed(
    caller: Caller,
    userIds: readonly number[],
    channels: readonly NoticedChannel[],
  ): Promise<void> {
    await this.#send(caller, (person) =>
      userIds.map((userId) => ({
        place: { userIds: [userId] },
        content: subscribedText(person, channels),
      })),
    );
  }

  async created(caller: Caller, channels: readonly NoticedChannel[]): Promise<void> {
    await this.#send(caller, (person) =>
      channels.map((channel) => ({
        place: placeIn(channel),
        content: createdText(person, channel),
      })),
    );
  }

  async changed(caller: Caller, channel: NoticedChannel, change: string): Promise<void> {
    await this.#send(caller, (person) => [
      { place: placeIn(channel), content: changedText(person, change) },
    ]);
  }

  async membersChanged(caller: Caller, change: NoticedMembers): Promise<void> {
    const { groupName, addedIds, removedIds } = change;
    const others = [...addedIds, ...removedIds].filter((id) => id !== caller.userId);
    if (others.length === 0 || others.length > MOST_NOTICES) return;
    const added = new Set(addedIds);
    await this.#send(caller, (person) =>
      others.map((userId) => ({
        place: { userIds: [userId] },
        content: added.has(userId)
          ? addedToGroupText(person, groupName)
          : removedFromGroupText(person, groupName),
      })),
    );
  }

  /** Never rejects: the change itself has succeeded, and a repetition would not send the notice. */
  async #send(
    caller: Caller,
    deliveries: (caller: { readonly id: number; readonly fullName: string }) => Delivery[],
  ): Promise<void> {
    try {
      const [person, bot] = await Promise.all([
        this.access.requireVisible(caller, caller.userId),
        this.systemBots.notificationBot(),
      ]);
      for (const delivery of deliveries(person)) {
        await this.sender.sendAsServer({
          ...delivery,
          senderId: bot.id,
          onBehalfOf: caller,
          client: CLIENT,
        });
      }
    } catch (error) {
      this.#logger.warn(`A notice was not sent: ${errorText(error)}`);
    }
  }
}

const placeIn = ({ id, topicsPolicy }: NoticedChannel): ServerMessage['place'] => ({
  channelId: id,
  topic: topicsPolicy === 'empty_topic_only' ? '' : NOTICE_TOPIC,
});
