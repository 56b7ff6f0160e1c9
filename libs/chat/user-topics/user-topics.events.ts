import { Injectable } from '@nestjs/common';
import { shownTopic } from '#chat/channels';
import {
  type CapabilityEvents,
  DeclaresEvents,
  type EventType,
  isCapable,
  type QueueOptions,
  type StateRequest,
} from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import {
  type UserTopicChange,
  type UserTopic,
  UserTopicRepository,
} from './user-topic.repository.js';

const USER_TOPIC = 'user_topic';
/** The older form of `user_topic`: the whole list of muted topics. */
const MUTED_TOPICS = 'muted_topics';

interface UserTopicBody {
  readonly stream_id: number;
  readonly topic_name: string;
  readonly visibility_policy: number;
  readonly last_updated: number;
}

interface MutedTopicsBody {
  readonly muted_topics: readonly (readonly [string, string, number])[];
}

const userTopicType: EventType = {
  type: USER_TOPIC,
  // All bodies of this type are of the type UserTopicBody.
  formsOf: (body, options) => [shownTo(body as unknown as UserTopicBody, options)],
};

const mutedTopicsType: EventType = {
  type: MUTED_TOPICS,
  // All bodies of this type are of the type MutedTopicsBody.
  formsOf: (body, options) => [
    { muted_topics: shownMuted((body as unknown as MutedTopicsBody).muted_topics, options) },
  ],
  isFor: (_, { options }) => hasOlderForm(options.eventTypes),
};

/** The topics of a user in `POST /register`, and the events of their changes. Only the user gets them. */
@Injectable()
@DeclaresEvents()
export class UserTopicEvents implements CapabilityEvents {
  readonly types = [userTopicType, mutedTopicsType];
  readonly fetchTypes = [USER_TOPIC, MUTED_TOPICS];

  constructor(
    private readonly topics: UserTopicRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller: { userId }, snapshot, options, wants, wantsAll }: StateRequest) {
    return {
      ...(wants(USER_TOPIC) && {
        user_topics: (await this.topics.list(userId, snapshot)).map((topic) =>
          shownTo(bodyOf(topic), options),
        ),
      }),
      ...(wants(MUTED_TOPICS) &&
        (wantsAll || !wants(USER_TOPIC)) && {
          muted_topics: (await this.topics.listMuted(snapshot, [userId])).flatMap((own) =>
            shownMuted(own.topics, options),
          ),
        }),
    };
  }

  /**
   * Adds the events of changed topics after the change in its transaction; `mutedUserIds` are the users whose muted topics
   * may have changed.
   */
  async changed(
    transaction: Transaction,
    realmId: number,
    changes: readonly UserTopicChange[],
    mutedUserIds: readonly number[],
  ): Promise<void> {
    const events = changes.map(({ userIds, ...topic }) => ({
      realmId,
      type: USER_TOPIC,
      body: bodyOf(topic),
      audience: { userIds },
    }));
    const lists =
      mutedUserIds.length === 0 ? [] : await this.topics.listMuted(transaction, mutedUserIds);
    const older = lists.map(({ userId, topics }) => ({
      realmId,
      type: MUTED_TOPICS,
      body: { muted_topics: topics },
      audience: { userIds: [userId] },
    }));
    this.log.append(transaction, ...events, ...older);
  }
}

/** A queue that names both types gets only the newer form. */
const hasOlderForm = (eventTypes: QueueOptions['eventTypes']): boolean =>
  eventTypes === null || !eventTypes.includes(USER_TOPIC);

const bodyOf = ({ channelId, topic, visibility, updatedAt }: UserTopic): UserTopicBody => ({
  stream_id: channelId,
  topic_name: topic,
  visibility_policy: visibility,
  last_updated: updatedAt,
});

const shownTo = (body: UserTopicBody, options: QueueOptions): UserTopicBody => ({
  ...body,
  topic_name: shownTopic(body.topic_name, isCapable(options, 'empty_topic_name')),
});

const shownMuted = (
  topics: MutedTopicsBody['muted_topics'],
  options: QueueOptions,
): MutedTopicsBody['muted_topics'] =>
  topics.map(([channel, topic, time]) => [
    channel,
    shownTopic(topic, isCapable(options, 'empty_topic_name')),
    time,
  ]);
