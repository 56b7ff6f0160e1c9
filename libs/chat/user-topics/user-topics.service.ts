import { Inject, Injectable, Optional } from '@nestjs/common';
import { ChannelAccess, channelErrors, storedTopic } from '#chat/channels';
import { NOTIFICATION_WISHES_HOOK, type NotificationWishesHook } from '#directory/settings';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  type TopicMove,
  type TopicPlace,
  topicVisibilities,
  type TopicVisibility,
  type UserTopic,
  UserTopicRepository,
} from './user-topic.repository.js';
import { userTopicErrors } from './user-topics.errors.js';
import { UserTopicEvents } from './user-topics.events.js';

const { none, muted } = topicVisibilities;

/** The topics that users mute, unmute in muted channels, or follow. */
@Injectable()
export class UserTopicsService {
  constructor(
    private readonly topics: UserTopicRepository,
    private readonly channelAccess: ChannelAccess,
    private readonly database: Database,
    private readonly events: UserTopicEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'userTopics'>,
    @Optional()
    @Inject(NOTIFICATION_WISHES_HOOK)
    private readonly wishes: NotificationWishesHook | null = null,
  ) {}

  /**
   * Sets how the caller sees a topic; repeating it succeeds. The topic needs no messages. Rejects with `invalidChannelId`
   * for a channel that the caller cannot read or that is archived, and with `accountLimitReached`. A setting of such a
   * channel can still be removed.
   */
  async set(
    caller: Caller,
    { channelId, topic }: TopicPlace,
    visibility: TopicVisibility,
  ): Promise<void> {
    const place = { channelId, topic: storedTopic(topic) };
    if (visibility !== none) {
      await this.#requireChannel(caller, channelId);
      await this.#set(caller, place, visibility);
    } else if (!(await this.#clear(caller, place))) {
      await this.#requireChannel(caller, channelId);
    }
  }

  /**
   * The id of a channel that is given by its id or by its name. Throws `bothChannelNames`, `noChannelName`, and
   * `invalidChannelName` for a name of no channel that the caller may read.
   */
  async channelNamed(
    caller: Caller,
    { id, name }: { readonly id?: number | undefined; readonly name?: string | undefined },
  ): Promise<number> {
    if (id !== undefined && name !== undefined)
      throw new ApiError(userTopicErrors.bothChannelNames);
    if (id !== undefined) return id;
    if (name === undefined) throw new ApiError(userTopicErrors.noChannelName);
    return (await this.channelAccess.requireNamed(caller, name, 'content')).channel.id;
  }

  /** Mutes a topic like `set`. */
  async mute(caller: Caller, place: TopicPlace): Promise<void> {
    await this.set(caller, place, muted);
  }

  /** Ends the muting of a topic. Rejects with `topicNotMuted`, and with `invalidChannelId` like `set`. */
  async unmute(caller: Caller, { channelId, topic }: TopicPlace): Promise<void> {
    if (await this.#clear(caller, { channelId, topic: storedTopic(topic) }, muted)) return;
    await this.#requireChannel(caller, channelId);
    throw new ApiError(userTopicErrors.topicNotMuted);
  }

  /** The accounts with a setting for one of the topics. */
  async concerned(transaction: Transaction, places: readonly TopicPlace[]): Promise<number[]> {
    return this.topics.concerned(transaction, places);
  }

  /**
   * Blocks all changes in the organisation until the end of a transaction that moves messages. Before it changes rows of
   * their readers: a change of a setting takes notifications back from the phones of its account, whose rows it changes then.
   */
  async lock(transaction: Transaction, realmId: number): Promise<void> {
    await this.topics.lockAll(transaction, realmId);
  }

  /**
   * Moves the settings of all users with the messages of a topic, in the transaction of the messages, with the events. They must
   * be locked.
   */
  async moved(transaction: Transaction, realmId: number, move: TopicMove): Promise<void> {
    const changes = await this.topics.move(transaction, move);
    const userIds = [...new Set(changes.flatMap((change) => change.userIds))];
    await this.events.changed(transaction, realmId, changes, userIds);
  }

  async #requireChannel(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'content');
    if (channel.archivedAt !== null) throw new ApiError(channelErrors.invalidChannelId);
  }

  async #set(caller: Caller, place: TopicPlace, visibility: TopicVisibility): Promise<void> {
    const limit = this.limits.userTopics;
    await this.database.transaction(async (transaction) => {
      const setting = { ...place, visibility };
      const changed = await this.topics.set(transaction, ownerOf(caller), setting, limit);
      if (changed === 'list is full') {
        throw new ApiError(limitErrors.accountLimitReached, { limit, what: 'topics' });
      }
      if (changed !== null) await this.#publishChange(transaction, caller, changed);
    });
  }

  /** False when the caller had no setting, or not this one. */
  async #clear(caller: Caller, place: TopicPlace, only?: TopicVisibility): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const cleared = await this.topics.clear(transaction, ownerOf(caller), place, only);
      if (cleared !== null) await this.#publishChange(transaction, caller, cleared);
      return cleared !== null;
    });
  }

  async #publishChange(transaction: Transaction, { userId, realm }: Caller, topic: UserTopic) {
    const userIds = [userId];
    await this.events.changed(transaction, realm.id, [{ ...topic, userIds }], userIds);
    if (this.wishes === null) return;
    await this.wishes.wishesChanged(transaction, userId);
  }
}

const ownerOf = ({ userId, realm }: Caller) => ({ userId, realmId: realm.id });
