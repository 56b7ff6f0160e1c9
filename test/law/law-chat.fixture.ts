import type { SeededRandom } from '#test/seeded-random';
import {
  anyChannel,
  anyMessage,
  anyTopic,
  type Choice,
  contentOf,
  type EndpointNotes,
  idFrom,
  owner,
  someUsers,
} from './law-values.fixture.js';
import type { Actor, LawWorld } from './law-world.fixture.js';

const editTyping: EndpointNotes = {
  actor: messageSender,
  fields: (choice) => ({ message_id: ownMessage(choice)?.id }),
};

/** What cannot be guessed of the requests for messages, channels and topics. */
export const chatNotes: Readonly<Record<string, EndpointNotes>> = {
  'POST /messages': {
    weight: 8,
    fields: (choice) =>
      choice.random.next() < 0.6
        ? { type: 'channel', to: anyChannel(choice), subject: undefined }
        : { type: 'direct', to: someUsers(choice), topic: undefined, subject: undefined },
  },
  'POST /messages/flags': { weight: 4 },
  'POST /messages/flags/narrow': {
    fields: ({ random }) => ({
      anchor: 'newest',
      anchor_date: undefined,
      include_anchor: undefined,
      num_before: 20,
      num_after: 0,
      narrow: [],
      op: random.pick(['add', 'remove']),
      flag: random.pick(['read', 'starred']),
    }),
  },
  'POST /mark_stream_as_read': { weight: 0.5 },
  'POST /mark_topic_as_read': {
    fields: ({ world, random }) => {
      const inChannels = world.existing.messages.filter(({ channelId }) => channelId !== null);
      const { channelId, topic } = random.shuffled(inChannels)[0] ?? {};
      return { stream_id: channelId, topic_name: topic };
    },
  },
  'POST /messages/{message_id}/report': {
    fields: (choice) => ({
      message_id: anyMessage(choice),
      report_type: choice.random.pick(['spam', 'harassment']),
      description: 'Look',
    }),
  },
  'POST /default_streams': {
    fields: ({ world, random }) => ({
      stream_id: idFrom(
        random,
        world.existing.channels.filter((one) => !one.isPrivate && one.archivedAt === null),
      ),
    }),
  },
  'PATCH /messages/{message_id}': {
    weight: 4,
    actor: messageSender,
    fields: (choice) => {
      const { random } = choice;
      const message = ownMessage(choice);
      const change =
        message?.channelId === null || random.next() < 0.5
          ? { content: contentOf(choice) }
          : {
              topic: anyTopic(choice),
              stream_id: random.next() < 0.3 ? anyChannel(choice) : undefined,
              propagate_mode: random.pick(['change_one', 'change_later', 'change_all']),
            };
      return { ...nothingElse, message_id: message?.id, ...change };
    },
  },
  'DELETE /messages/{message_id}': {
    actor: messageSender,
    fields: (choice) => ({ message_id: ownMessage(choice)?.id }),
  },
  'POST /streams/{stream_id}/delete_topic': {
    weight: 0.3,
    actor: owner,
    fields: ({ world, random }) => {
      const inChannels = world.existing.messages.filter(({ channelId }) => channelId !== null);
      const { channelId, topic } = random.shuffled(inChannels)[0] ?? {};
      return { stream_id: channelId, topic_name: topic };
    },
  },
  'POST /messages/{message_id}/reactions': {
    weight: 3,
    fields: ({ random }) => ({ emoji_name: random.pick(['car', 'tada']) }),
  },
  'DELETE /messages/{message_id}/reactions': {
    actor: (world, random) =>
      world.pickOwner(
        random,
        world.existing.reactions.map(({ userId }) => userId),
      ),
    fields: ({ world, random, actor }) => {
      const own = world.existing.reactions.filter(({ userId }) => userId === actor.person.id);
      if (own.length === 0) return {};
      const { messageId, emojiName } = random.pick(own);
      return { message_id: messageId, emoji_name: emojiName };
    },
  },
  'POST /typing': {
    fields: (choice) =>
      choice.random.next() < 0.5
        ? { type: 'direct', to: someUsers(choice), stream_id: undefined, topic: undefined }
        : { type: 'stream', to: undefined, stream_id: anyChannel(choice), topic: anyTopic(choice) },
  },
  'POST /messages/{message_id}/typing': editTyping,
  'POST /message_edit_typing/{message_id}': editTyping,
};

/** Parameters of an edit that the notes do not set. */
const nothingElse = { subject: undefined, prev_content_sha256: undefined };

function messageSender(world: LawWorld, random: SeededRandom): Actor {
  return world.pickOwner(
    random,
    world.existing.messages.map(({ senderId }) => senderId),
  );
}

function ownMessage({ world, random, actor }: Choice) {
  const own = world.existing.messages.filter(({ senderId }) => senderId === actor.person.id);
  return own.length === 0 ? undefined : random.pick(own);
}
