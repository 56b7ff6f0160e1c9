import type { SeededRandom } from '#test/seeded-random';
import {
  anyChannel,
  anyGroup,
  type Choice,
  type EndpointNotes,
  idFrom,
  owner,
  someUsers,
} from './law-values.fixture.js';
import type { Actor, LawWorld } from './law-world.fixture.js';

const subscriber = (world: LawWorld, random: SeededRandom): Actor =>
  world.pickOwner(
    random,
    world.existing.subscriptions.map(({ userId }) => userId),
  );

function ownChannel({ world, random, actor }: Choice): number | undefined {
  const own = world.existing.subscriptions.filter(({ userId }) => userId === actor.person.id);
  return own.length === 0 ? undefined : random.pick(own).channelId;
}

/** Values that most accounts may give to a new channel; the others have to be left out. */
function channelPlan({ world, random }: Choice): Readonly<Record<string, unknown>> {
  return {
    invite_only: random.next() < 0.4,
    is_web_public: undefined,
    is_default_stream: undefined,
    default_push_notifications: undefined,
    message_retention_days: undefined,
    folder_id: anyFolder({ world, random }),
    ...Object.fromEntries(channelPermissions.map((name) => [name, undefined])),
  };
}

const privateChannel = ({ world, random }: Choice): number | undefined =>
  idFrom(
    random,
    world.existing.channels.filter(({ isPrivate, archivedAt }) => isPrivate && archivedAt === null),
  );

/** A folder, none, or no parameter. */
const anyFolder = ({
  world,
  random,
}: Pick<Choice, 'world' | 'random'>): number | null | undefined => {
  if (random.next() < 0.5) return undefined;
  return (
    idFrom(
      random,
      world.existing.folders.filter(({ archivedAt }) => archivedAt === null),
    ) ?? null
  );
};

const channelPermissions = [
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_create_topic_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
  'can_remove_subscribers_group',
  'can_resolve_topics_group',
  'can_send_message_group',
  'can_subscribe_group',
];

const someChannelNames = ({ world, random }: Choice): string[] =>
  random
    .shuffled(world.existing.channels)
    .slice(0, 1 + random.next() * 2)
    .map(({ name }) => name);

/** Half of the requests are for other accounts. */
const principals = (choice: Choice): Readonly<Record<string, unknown>> => ({
  principals: choice.random.next() < 0.5 ? someUsers(choice) : undefined,
});

/** The notes on the endpoints of channels, subscriptions and topics. */
export const channelNotes: Readonly<Record<string, EndpointNotes>> = {
  'POST /users/me/subscriptions': {
    weight: 4,
    fields: (choice) => ({
      ...channelPlan(choice),
      ...principals(choice),
      subscriptions: [
        ...someChannelNames(choice),
        ...(choice.random.next() < 0.2 ? [choice.world.unique('Channel')] : []),
      ].map((name) => ({ name })),
      authorization_errors_fatal: false,
    }),
  },
  'DELETE /users/me/subscriptions': {
    weight: 4,
    fields: (choice) => ({ ...principals(choice), subscriptions: someChannelNames(choice) }),
  },
  'PATCH /users/me/subscriptions': {
    weight: 2,
    fields: (choice) => ({
      add: someChannelNames(choice).map((name) => ({ name })),
      delete: someChannelNames(choice),
    }),
  },
  'POST /users/me/subscriptions/properties': {
    weight: 2,
    actor: subscriber,
    fields: (choice) => {
      const { random } = choice;
      const changes = [
        { property: 'color', value: random.pick(['#c0ffee', '#FA0']) },
        {
          property: random.pick(['is_muted', 'pin_to_top', 'push_notifications']),
          value: random.next() < 0.5,
        },
      ];
      return {
        subscription_data: changes
          .slice(Math.floor(random.next() * 2))
          .map((change) => ({ ...change, stream_id: ownChannel(choice) })),
      };
    },
  },
  'PATCH /streams/{stream_id}': {
    weight: 3,
    actor: owner,
    fields: (choice) => {
      const { world, random } = choice;
      const chosen = <Value>(value: Value) => (random.next() < 0.4 ? value : undefined);
      return {
        ...channelPlan(choice),
        stream_id: anyChannel(choice),
        invite_only: undefined,
        default_push_notifications: chosen(random.next() < 0.5),
        new_name: chosen(world.unique('Renamed')),
        description: chosen(world.unique('About *this*')),
        is_private: chosen(random.next() < 0.5),
        is_web_public: chosen(false),
        history_public_to_subscribers: chosen(random.next() < 0.5),
        can_subscribe_group: chosen({
          new: { direct_members: someUsers(choice), direct_subgroups: [] },
        }),
        can_administer_channel_group: chosen({ new: anyGroup(choice) }),
      };
    },
  },
  'PATCH /realm': {
    weight: 0.5,
    actor: owner,
    fields: (choice) => ({
      name: choice.random.next() < 0.3 ? choice.world.unique('Firm') : undefined,
      description: choice.random.next() < 0.3 ? choice.world.unique('We *sell*') : undefined,
      // One that has become public takes no reports.
      moderation_request_channel_id:
        choice.random.next() < 0.5 ? privateChannel(choice) : undefined,
      new_stream_announcements_stream_id: choice.random.next() < 0.2 ? -1 : anyChannel(choice),
    }),
  },
  // The reports to the moderators need their channel.
  'DELETE /streams/{stream_id}': {
    weight: 0.1,
    actor: owner,
    fields: ({ world, random }) => ({
      stream_id: random.shuffled(
        world.existing.channels.filter(({ name }) => name.startsWith('Channel')),
      )[0]?.id,
    }),
  },
  'POST /channels/create': {
    weight: 0.3,
    fields: (choice) => ({
      ...channelPlan(choice),
      name: choice.world.unique('Channel'),
      subscribers: someUsers(choice),
    }),
  },
  'POST /channel_folders/create': {
    fields: ({ world }) => ({ name: world.unique('Folder'), description: 'For *channels*' }),
  },
  'PATCH /channel_folders': {
    fields: ({ world, random }) => ({
      order: random.shuffled(world.existing.folders).map(({ id }) => id),
    }),
  },
  'PATCH /channel_folders/{channel_folder_id}': {
    fields: ({ world, random }) => ({
      channel_folder_id: idFrom(random, world.existing.folders),
      name: random.next() < 0.5 ? world.unique('Folder') : undefined,
      is_archived: random.next() < 0.5 ? undefined : random.next() < 0.5,
    }),
  },
  'POST /user_topics': {
    weight: 2,
    fields: ({ random }) => ({ visibility_policy: random.pick([0, 1, 2, 3]) }),
  },
  'PATCH /users/me/subscriptions/muted_topics': {
    fields: (choice) => ({
      stream_id: anyChannel(choice),
      stream: undefined,
      op: choice.random.pick(['add', 'add', 'remove']),
    }),
  },
};
