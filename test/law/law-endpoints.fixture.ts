import { randomBytes } from 'node:crypto';
import type { SeededRandom } from '#test/seeded-random';
import { gif } from '#test/uploads-multipart';
import { channelNotes } from './law-channel-endpoints.fixture.js';
import { chatNotes } from './law-chat.fixture.js';
import { groupNotes } from './law-group-endpoints.fixture.js';
import { linkifier, settingsFields } from './law-settings.fixture.js';
import {
  anyChannel,
  anyGroup,
  anyUser,
  type Choice,
  type EndpointNotes,
  idFrom,
  owner,
  phone,
} from './law-values.fixture.js';
import type { Actor, LawWorld } from './law-world.fixture.js';

const NO_STATE = 'No registration has the subscriptions of Web Push, and no event is about them.';

/** Endpoints that change something but are not part of this test, each with the reason. `GET` is left out anyway. */
export const exempt: Readonly<Record<string, string>> = {
  'POST /register': 'Every client of the test begins with it.',
  'DELETE /events': 'It ends the queue of a client; libs/events/polling tests it.',
  'POST /fetch_api_key':
    'It changes the date of a new account at most: libs/directory/users/first-sign-in tests it.',
  'POST /users/me/presence': 'Presence has no stored events: only coming online is an event.',
  'POST /submessage': 'Its data is in messages only, which no registration has.',
  'POST /mobile_push/test_notification': 'It changes nothing that a client sees.',
  'POST /mobile_push/e2ee/test_notification': 'It changes nothing that a client sees.',
  'POST /mobile_push/receipts': 'It changes nothing that a client sees.',
  'POST /users/me/web_push_subscription': NO_STATE,
  'POST /users/me/web_push_subscription/confirm': NO_STATE,
  'POST /users/me/web_push_subscription/test_notification': NO_STATE,
  'DELETE /users/me/web_push_subscription': NO_STATE,
};

const deviceOwner = (world: LawWorld, random: SeededRandom): Actor =>
  world.pickOwner(
    random,
    world.existing.clientDevices.map(({ userId }) => userId),
  );

const ownDevice = ({ world, random, actor }: Choice) => ({
  device_id: idFrom(
    random,
    world.existing.clientDevices.filter(({ userId }) => userId === actor.person.id),
  ),
});

const expendable = (world: LawWorld, random: SeededRandom): Actor | undefined =>
  random.shuffled(world.actors.filter((one) => one.isExpendable && world.isActive(one)))[0];

/** A new endpoint needs an entry only if its requests cannot be guessed from names and schemas. */
export const notes: Readonly<Record<string, EndpointNotes>> = {
  ...chatNotes,
  ...channelNotes,
  ...groupNotes,
  'POST /realm/emoji/{emoji_name}': {
    file: gif,
    fields: ({ world }) => ({ emoji_name: world.unique('mascot').replace(' ', '_') }),
  },
  'DELETE /realm/emoji/{emoji_name}': {
    actor: owner,
    fields: ({ world: { existing }, random }) => ({
      emoji_name:
        random.shuffled(existing.emoji.filter((one) => !one.isDeactivated))[0]?.name ?? 'none',
    }),
  },
  'POST /user_uploads': { weight: 2, file: gif },
  'DELETE /attachments/{attachment_id}': {
    weight: 0.5,
    actor: (world, random) =>
      world.pickOwner(
        random,
        world.existing.files.map(({ ownerId }) => ownerId),
      ),
    fields: ({ world, random, actor }) => ({
      attachment_id: idFrom(
        random,
        world.existing.files.filter(({ ownerId }) => ownerId === actor.person.id),
      ),
    }),
  },
  'POST /realm/filters': { fields: linkifier },
  'PATCH /realm/filters/{filter_id}': {
    fields: (choice) => ({
      filter_id: idFrom(choice.random, choice.world.existing.linkifiers),
      ...linkifier(choice),
    }),
  },
  'PATCH /realm/linkifiers': {
    fields: ({ world, random }) => ({
      ordered_linkifier_ids: random.shuffled(world.existing.linkifiers).map(({ id }) => id),
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
    fields: ({ world, random }) => {
      const fieldType = random.pick([1, 2, 4, 5, 8]);
      return {
        name: world.unique('Field'),
        field_type: fieldType,
        field_data: undefined,
        use_for_user_matching: undefined,
        required: false,
      };
    },
  },
  'PATCH /realm/profile_fields': {
    fields: ({ world, random }) => ({
      order: random.shuffled(world.existing.profileFields).map(({ id }) => id),
    }),
  },
  'PATCH /users/me/profile_data': {
    weight: 2,
    fields: ({ world, random }) => ({
      data: random
        .shuffled(world.existing.profileFields.filter(({ fieldType }) => fieldType !== 4))
        .slice(0, 2)
        .map(({ id, fieldType }) => ({
          id,
          value: fieldType === 5 ? 'https://a.test/' : random.pick(['**Red**', 'Blue', '']),
        })),
    }),
  },
  'DELETE /users/me/profile_data': {
    fields: ({ world, random }) => ({
      data: random
        .shuffled(world.existing.profileFields)
        .slice(0, 1)
        .map(({ id }) => id),
    }),
  },
  'PATCH /settings': { fields: settingsFields },
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
    fields: ({ world, random }) => ({ user_id: expendable(world, random)?.person.id }),
  },
  'DELETE /users/me': {
    weight: 0.3,
    actor: (world, random) => expendable(world, random) ?? owner(world),
  },
  'POST /users/{user_id}/reactivate': {
    weight: 2,
    actor: owner,
    fields: ({ world, random }) => ({
      user_id: idFrom(
        random,
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
  'POST /remove_client_device': { actor: deviceOwner, fields: ownDevice },
  'POST /mobile_push/register': {
    weight: 2,
    actor: deviceOwner,
    fields: (choice) => ({
      ...ownDevice(choice),
      token_kind: 'fcm',
      token_id: randomBytes(8).toString('base64'),
      push_key: Buffer.concat([Buffer.of(0x31), randomBytes(32)]).toString('base64'),
      encrypted_push_registration: 'sealed',
    }),
  },
  'POST /calls/{video_provider}/register': {
    fields: ({ random }) => ({ video_provider: random.pick(['webex', 'zoom']) }),
    after: ({ world }, { body }) => world.consentToVideoCalls(String(body['url'])),
  },
  'POST /calls/{video_provider}/create': {
    fields: ({ random }) => ({ video_provider: random.pick(['webex', 'zoom']) }),
  },
  'POST /user_groups/{user_group_id}/subgroups': {
    weight: 2,
    actor: owner,
    fields: (choice) => ({
      user_group_id: anyGroup(choice),
      ...(choice.random.next() < 0.5
        ? { add: [anyGroup(choice)] }
        : { delete: [anyGroup(choice)] }),
    }),
  },
  'POST /drafts': { fields: (choice) => ({ drafts: [draft(choice), draft(choice)] }) },
  'PATCH /drafts/{draft_id}': {
    actor: draftOwner,
    fields: (choice) => ({ draft_id: ownDraft(choice), draft: draft(choice) }),
  },
  'DELETE /drafts/{draft_id}': {
    actor: draftOwner,
    fields: (choice) => ({ draft_id: ownDraft(choice) }),
  },
  'POST /scheduled_messages': {
    weight: 2,
    fields: (choice) => ({
      ...(choice.random.next() < 0.5
        ? { type: 'channel', to: anyChannel(choice) }
        : { type: 'direct', to: [choice.actor.person.id] }),
      scheduled_delivery_timestamp: later(choice),
    }),
  },
  'PATCH /scheduled_messages/{scheduled_message_id}': {
    weight: 2,
    actor: scheduledOwner,
    fields: (choice) => ({
      scheduled_message_id: ownScheduled(choice),
      type: undefined,
      to: undefined,
      scheduled_delivery_timestamp: later(choice),
    }),
  },
  'DELETE /scheduled_messages/{scheduled_message_id}': {
    actor: scheduledOwner,
    fields: (choice) => ({ scheduled_message_id: ownScheduled(choice) }),
  },
  'PATCH /saved_snippets/{saved_snippet_id}': { actor: snippetOwner },
  'DELETE /saved_snippets/{saved_snippet_id}': { actor: snippetOwner },
  'DELETE /users/me/muted_users/{muted_user_id}': {
    actor: (world, random) =>
      world.pickOwner(
        random,
        world.existing.mutes.map(({ userId }) => userId),
      ),
    fields: ({ world, random, actor }) => {
      const own = world.existing.mutes.filter(({ userId }) => userId === actor.person.id);
      return own.length === 0 ? {} : { muted_user_id: random.pick(own).mutedUserId };
    },
  },
};

const draft = ({ world, random }: Choice): object => ({
  type: '',
  to: [],
  topic: '',
  content: world.unique('Draft'),
  timestamp: Math.floor(random.next() * 5),
});

function draftOwner(world: LawWorld, random: SeededRandom): Actor {
  return world.pickOwner(
    random,
    world.existing.drafts.map(({ userId }) => userId),
  );
}

const ownDraft = ({ world, random, actor }: Choice): number | undefined =>
  idFrom(
    random,
    world.existing.drafts.filter(({ userId }) => userId === actor.person.id),
  );

/** Beyond the end of the test. */
const later = ({ random }: Choice): number =>
  Math.floor(Date.now() / 1000) + 3600 + Math.floor(random.next() * 5);

function scheduledOwner(world: LawWorld, random: SeededRandom): Actor {
  return world.pickOwner(
    random,
    world.existing.scheduled.map(({ userId }) => userId),
  );
}

const ownScheduled = ({ world, random, actor }: Choice): number | undefined =>
  idFrom(
    random,
    world.existing.scheduled.filter(({ userId }) => userId === actor.person.id),
  );

function snippetOwner(world: LawWorld, random: SeededRandom): Actor {
  return world.pickOwner(
    random,
    world.existing.snippets.map(({ userId }) => userId),
  );
}

function statusFields({ world, random }: Choice): Readonly<Record<string, unknown>> {
  return {
    status_text: random.next() < 0.6 ? random.pick(['Out', 'Busy', '']) : undefined,
    emoji_name:
      random.next() < 0.6
        ? random.pick(['car', 'tada', '', ...world.existing.emoji.map(({ name }) => name)])
        : undefined,
  };
}
