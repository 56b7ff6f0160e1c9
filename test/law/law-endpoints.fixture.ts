import { roles } from '#platform/contracts';
import type { Dice } from '#test/dice';
import type { Reply } from '#test/http-request';
import { channelNotes } from './law-channel-endpoints.fixture.js';
import type { Actor, LawWorld } from './law-world.fixture.js';

/** The choice of one request. */
export interface Choice {
  readonly world: LawWorld;
  readonly dice: Dice;
  readonly actor: Actor;
}

/** What cannot be guessed of the requests of an endpoint. */
export interface EndpointNotes {
  /** Relative to 1, the frequency of other endpoints. */
  readonly weight?: number;
  /** The sender; by default any active account with the access of the endpoint. */
  readonly actor?: (world: LawWorld, dice: Dice) => Actor;
  /** Values of parameters; `undefined` leaves one out. By default they follow `values` and the schema. */
  readonly fields?: (choice: Choice) => Readonly<Record<string, unknown>>;
  /** The content of the file that the endpoint takes. */
  readonly file?: Buffer;
  /** Runs after a success. */
  readonly after?: (choice: Choice, reply: Reply) => unknown;
}

/** Endpoints that change something but are not part of this test, each with the reason. `GET` is left out anyway. */
export const exempt: Readonly<Record<string, string>> = {
  'POST /register': 'Every client of the test begins with it.',
  'DELETE /events': 'It ends the queue of a client; libs/events/polling tests it.',
  'POST /fetch_api_key': 'It only reads the API key.',
  'POST /users/me/presence': 'Presence has no stored events: only coming online is an event.',
  'POST /mobile_push/test_notification': 'It changes nothing that a client sees.',
};

/** One white point. */
export const gif = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
);

const anyUser = ({ world, dice }: Choice): number => dice.pick(world.existing.users).id;
const someUsers = ({ world, dice }: Choice): number[] =>
  dice
    .shuffled(world.existing.users.filter(({ isActive }) => isActive))
    .slice(0, 1 + dice.roll() * 3)
    .map(({ id }) => id);
const anyChannel = ({ world, dice }: Choice): number => dice.pick(world.existing.channels).id;
const anyMessage = ({ world, dice }: Choice): number | undefined =>
  world.existing.messages.length === 0 ? undefined : dice.pick(world.existing.messages).id;
const anyGroup = ({ world, dice }: Choice): number =>
  dice.pick(world.existing.groups.filter(({ isSystem }) => !isSystem)).id;
const topics = ['lunch', 'Lunch', 'dinner', '', '✔ done'];
const anyTopic = ({ dice }: Choice): string => dice.pick(topics);
const phone = { token: 'c0ffee'.repeat(10) };

/** Values of parameters of any endpoint, by name. */
export const values: Readonly<Record<string, (choice: Choice) => unknown>> = {
  user_id: anyUser,
  muted_user_id: anyUser,
  stream_id: anyChannel,
  message_id: anyMessage,
  user_group_id: anyGroup,
  topic: anyTopic,
  topic_name: anyTopic,
  messages: ({ world, dice }) =>
    dice
      .shuffled(world.existing.messages)
      .slice(0, 6)
      .map(({ id }) => id),
  content: (choice) => contentOf(choice),
  playground_id: ({ world, dice }) => idFrom(dice, world.existing.playgrounds),
  field_id: ({ world, dice }) => idFrom(dice, world.existing.profileFields),
  saved_snippet_id: ({ world, dice, actor }) =>
    idFrom(
      dice,
      world.existing.snippets.filter(({ userId }) => userId === actor.person.id),
    ),
  emoji_name: ({ world, dice }) =>
    dice.pick([...world.existing.emoji.map(({ name }) => name), 'car', 'tada']),
  emoji_code: () => undefined,
  reaction_type: () => undefined,
  queue_id: () => undefined,
  local_id: () => undefined,
  'Idempotency-Key': () => undefined,
};

const idFrom = (dice: Dice, rows: readonly { readonly id: number }[]): number | undefined =>
  rows.length === 0 ? undefined : dice.pick(rows).id;

/** A text with mentions, links to files, and other Markdown. */
function contentOf({ world, dice }: Choice): string {
  const parts = [world.unique('Hello **you**')];
  const mentioned = dice.pick(world.existing.users);
  if (dice.roll() < 0.3) parts.push('@**all**');
  if (dice.roll() < 0.3) parts.push(`@**|${mentioned.id}**`);
  const [file] = dice.shuffled(world.existing.files);
  if (file !== undefined && dice.roll() < 0.3) parts.push(`[file](/user_uploads/${file.pathId})`);
  return parts.join(' ');
}

const expendable = (world: LawWorld, dice: Dice): Actor | undefined =>
  dice.shuffled(world.actors.filter((one) => one.isExpendable && world.isActive(one)))[0];

const owner = (world: LawWorld): Actor => {
  const found = world.actors.find(({ role }) => role === roles.owner);
  if (found === undefined) throw new Error('There is no owner');
  return found;
};

/** A new endpoint needs an entry only if its requests cannot be guessed from names and schemas. */
export const notes: Readonly<Record<string, EndpointNotes>> = {
  'POST /messages': {
    weight: 8,
    fields: (choice) =>
      choice.dice.roll() < 0.6
        ? { type: 'channel', to: anyChannel(choice), subject: undefined }
        : { type: 'direct', to: someUsers(choice), topic: undefined, subject: undefined },
  },
  'POST /messages/flags': { weight: 4 },
  'POST /mark_stream_as_read': { weight: 0.5 },
  'POST /messages/{message_id}/report': {
    fields: (choice) => ({
      message_id: anyMessage(choice),
      report_type: choice.dice.pick(['spam', 'harassment']),
      description: 'Look',
    }),
  },
  'POST /realm/emoji/{emoji_name}': {
    file: gif,
    fields: ({ world }) => ({ emoji_name: world.unique('mascot').replace(' ', '_') }),
  },
  'DELETE /realm/emoji/{emoji_name}': {
    actor: owner,
    fields: ({ world, dice }) => ({
      emoji_name:
        dice.shuffled(world.existing.emoji.filter((one) => !one.isDeactivated))[0]?.name ?? 'none',
    }),
  },
  'POST /user_uploads': { weight: 2, file: gif },
  'DELETE /attachments/{attachment_id}': {
    weight: 0.5,
    actor: (world, dice) =>
      world.pickOwner(
        dice,
        world.existing.files.map(({ ownerId }) => ownerId),
      ),
    fields: ({ world, dice, actor }) => ({
      attachment_id: idFrom(
        dice,
        world.existing.files.filter(({ ownerId }) => ownerId === actor.person.id),
      ),
    }),
  },
  'POST /realm/playgrounds': {
    fields: ({ world }) => ({
      name: world.unique('Play'),
      pygments_language: 'Rust',
      url_template: 'https://play.test/?code={code}',
    }),
  },
  'POST /realm/profile_fields': {
    fields: ({ world, dice }) => {
      const fieldType = dice.pick([1, 2, 4, 5, 8]);
      return {
        name: world.unique('Field'),
        field_type: fieldType,
        field_data: undefined,
        use_for_user_matching: undefined,
        required: false,
      };
    },
  },
  'PATCH /users/me/profile_data': {
    weight: 2,
    fields: ({ world, dice }) => ({
      data: dice
        .shuffled(world.existing.profileFields.filter(({ fieldType }) => fieldType !== 4))
        .slice(0, 2)
        .map(({ id, fieldType }) => ({
          id,
          value: fieldType === 5 ? 'https://a.test/' : dice.pick(['**Red**', 'Blue', '']),
        })),
    }),
  },
  'DELETE /users/me/profile_data': {
    fields: ({ world, dice }) => ({
      data: dice
        .shuffled(world.existing.profileFields)
        .slice(0, 1)
        .map(({ id }) => id),
    }),
  },
  'PATCH /settings': {
    fields: ({ world, dice }) => ({
      ...unsupportedSettings,
      full_name: dice.roll() < 0.3 ? world.unique('Name') : undefined,
      timezone: dice.roll() < 0.3 ? dice.pick(['Asia/Tokyo', 'Europe/Berlin', '']) : undefined,
    }),
  },
  'POST /users/me/status': { weight: 2, fields: statusFields },
  'POST /users/{user_id}/status': {
    actor: owner,
    fields: (choice) => ({ user_id: anyUser(choice), ...statusFields(choice) }),
  },
  'POST /users': {
    weight: 0.4,
    actor: owner,
    fields: ({ world }) => ({
      email: `${world.unique('new').replace(' ', '')}@chat.test`,
      password: 'a long enough password of a test',
      full_name: world.unique('Newcomer'),
    }),
  },
  'DELETE /users/{user_id}': {
    weight: 0.5,
    actor: owner,
    fields: ({ world, dice }) => ({ user_id: expendable(world, dice)?.person.id }),
  },
  'DELETE /users/me': {
    weight: 0.3,
    actor: (world, dice) => expendable(world, dice) ?? owner(world),
  },
  'POST /users/{user_id}/reactivate': {
    weight: 2,
    actor: owner,
    fields: ({ world, dice }) => ({
      user_id: idFrom(
        dice,
        world.existing.users.filter(({ isActive }) => !isActive),
      ),
    }),
  },
  'POST /users/me/api_key/regenerate': {
    weight: 0.3,
    after: ({ world, actor }, { body }) => world.useKey(actor, String(body['api_key'])),
  },
  'POST /users/me/apns_device_token': {
    actor: owner,
    fields: () => ({ ...phone, appid: 'org.example.app' }),
  },
  'DELETE /users/me/apns_device_token': { actor: owner, fields: () => phone },
  'POST /users/me/android_gcm_reg_id': { actor: owner, fields: () => phone },
  'DELETE /users/me/android_gcm_reg_id': { actor: owner, fields: () => phone },
  'POST /calls/{video_provider}/register': {
    fields: ({ dice }) => ({ video_provider: dice.pick(['webex', 'zoom']) }),
    after: ({ world }, { body }) => world.consentToVideoCalls(String(body['url'])),
  },
  'POST /calls/{video_provider}/create': {
    fields: ({ dice }) => ({ video_provider: dice.pick(['webex', 'zoom']) }),
  },
  'POST /user_groups/{user_group_id}/subgroups': {
    weight: 2,
    actor: owner,
    fields: (choice) => ({
      user_group_id: anyGroup(choice),
      ...(choice.dice.roll() < 0.5 ? { add: [anyGroup(choice)] } : { delete: [anyGroup(choice)] }),
    }),
  },
  'PATCH /saved_snippets/{saved_snippet_id}': { actor: snippetOwner },
  'DELETE /saved_snippets/{saved_snippet_id}': { actor: snippetOwner },
  'DELETE /users/me/muted_users/{muted_user_id}': {
    actor: (world, dice) =>
      world.pickOwner(
        dice,
        world.existing.mutes.map(({ userId }) => userId),
      ),
    fields: ({ world, dice, actor }) => {
      const own = world.existing.mutes.filter(({ userId }) => userId === actor.person.id);
      return own.length === 0 ? {} : { muted_user_id: dice.pick(own).mutedUserId };
    },
  },
  ...channelNotes,
  'POST /default_streams': {
    fields: ({ world, dice }) => ({
      stream_id: idFrom(
        dice,
        world.existing.channels.filter((one) => !one.isPrivate && one.archivedAt === null),
      ),
    }),
  },
};

/** Subscriptions without a setting of their own show these to older clients, which get no event of the change. */
const unsupportedSettings = {
  enable_stream_desktop_notifications: undefined,
  enable_stream_audible_notifications: undefined,
  enable_stream_push_notifications: undefined,
  enable_stream_email_notifications: undefined,
  wildcard_mentions_notify: undefined,
};

function snippetOwner(world: LawWorld, dice: Dice): Actor {
  return world.pickOwner(
    dice,
    world.existing.snippets.map(({ userId }) => userId),
  );
}

function statusFields({ world, dice }: Choice): Readonly<Record<string, unknown>> {
  return {
    status_text: dice.roll() < 0.6 ? dice.pick(['Out', 'Busy', '']) : undefined,
    emoji_name:
      dice.roll() < 0.6
        ? dice.pick(['car', 'tada', '', ...world.existing.emoji.map(({ name }) => name)])
        : undefined,
  };
}
