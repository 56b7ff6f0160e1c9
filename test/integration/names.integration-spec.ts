import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import type { Fields } from '#test/api-client';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { operations } from '../performance/endpoint-operations.fixture.js';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system, { requiresUniqueNames: true }));
const owner = useFixture(() => organisation.addPerson({ role: roles.owner }));
const other = useFixture(() => organisation.addPerson());
/** The ids in the paths below. */
const ids: Record<string, number> = {};

const made = (reply: Reply, member: string): number => {
  expect(reply).toMatchObject(success);
  return Number(reply.body[member]);
};

beforeAll(async () => {
  const { api } = owner;
  ids['channel'] = made(await api.post('/channels/create', { name: 'own', subscribers: [] }), 'id');
  const folder = await api.post('/channel_folders/create', { name: 'own' });
  ids['folder'] = made(folder, 'channel_folder_id');
  const group = { name: 'own', description: '', members: [] };
  ids['group'] = made(await api.post('/user_groups/create', group), 'group_id');
  const snippet = await api.post('/saved_snippets', { title: 'own', content: 'x' });
  ids['snippet'] = made(snippet, 'saved_snippet_id');
  ids['user'] = other.id;
});

/** How a name is given at a place. */
interface NamePlace {
  /** The names that are compared with each other. */
  readonly kind: string;
  readonly path: string;
  readonly fields: (name: string) => Fields;
  /** Whether its names are unique, and a new one is refused. */
  readonly isUnique: boolean;
  /** Whether names of the server are refused. */
  readonly isReserved?: true;
}

const channel = { kind: 'channel', isUnique: true } as const;
const group = { kind: 'group', isUnique: true, isReserved: true } as const;
const account = { kind: 'account', isUnique: true, isReserved: true } as const;
const fullName = (name: string) => ({ full_name: name });
let emails = 0;

/** Every place that takes a name which others read. */
const places: Record<string, NamePlace> = {
  'POST /channels/create name': {
    ...channel,
    path: '/channels/create',
    fields: (name) => ({ name, subscribers: [] }),
  },
  'PATCH /streams/{stream_id} new_name': {
    ...channel,
    path: '/streams/{channel}',
    fields: (name) => ({ new_name: name }),
  },
  'POST /users/me/subscriptions subscriptions': {
    kind: 'channel',
    // A name that is taken subscribes to that channel.
    isUnique: false,
    path: '/users/me/subscriptions',
    fields: (name) => ({ subscriptions: [{ name }] }),
  },
  'POST /channel_folders/create name': {
    kind: 'folder',
    isUnique: true,
    path: '/channel_folders/create',
    fields: (name) => ({ name }),
  },
  'PATCH /channel_folders/{channel_folder_id} name': {
    kind: 'folder',
    isUnique: true,
    path: '/channel_folders/{folder}',
    fields: (name) => ({ name }),
  },
  'POST /user_groups/create name': {
    ...group,
    path: '/user_groups/create',
    fields: (name) => ({ name, description: '', members: [] }),
  },
  'PATCH /user_groups/{user_group_id} name': {
    ...group,
    path: '/user_groups/{group}',
    fields: (name) => ({ name }),
  },
  'POST /users full_name': {
    ...account,
    path: '/users',
    fields: (name) => ({
      full_name: name,
      email: `name${(emails += 1)}@names.test`,
      password: 'correct horse battery staple 7',
    }),
  },
  'PATCH /users/{user_id} full_name': { ...account, path: '/users/{user}', fields: fullName },
  'PATCH /settings full_name': { ...account, path: '/settings', fields: fullName },
  'POST /realm/profile_fields name': {
    kind: 'profile field',
    isUnique: true,
    path: '/realm/profile_fields',
    fields: (name) => ({ name, field_type: 1 }),
  },
  'POST /realm/playgrounds name': {
    kind: 'playground',
    isUnique: true,
    path: '/realm/playgrounds',
    fields: (name) => ({
      name,
      pygments_language: 'Python',
      url_template: 'https://play.test/{code}',
    }),
  },
  'PATCH /realm name': {
    kind: 'organisation',
    isUnique: false,
    path: '/realm',
    fields: (name) => ({ name }),
  },
  'POST /saved_snippets title': {
    kind: 'snippet',
    isUnique: false,
    path: '/saved_snippets',
    fields: (title) => ({ title, content: 'x' }),
  },
  'PATCH /saved_snippets/{saved_snippet_id} title': {
    kind: 'snippet',
    isUnique: false,
    path: '/saved_snippets/{snippet}',
    fields: (title) => ({ title }),
  },
};

/** Places whose names are those of existing objects, or consist of letters, digits and signs of ASCII. */
const others: ReadonlySet<string> = new Set([
  'POST /fetch_api_key username',
  'DELETE /users/me/subscriptions subscriptions',
  'POST /realm/emoji/{emoji_name} emoji_name',
  'DELETE /realm/emoji/{emoji_name} emoji_name',
  'POST /messages/{message_id}/reactions emoji_name',
  'DELETE /messages/{message_id}/reactions emoji_name',
  'POST /users/me/status emoji_name',
  'POST /users/{user_id}/status emoji_name',
  'POST /streams/{stream_id}/delete_topic topic_name',
  'POST /mark_topic_as_read topic_name',
  // Hosts are compared as URLs have them.
  'POST /remotes/server/register hostname',
  'POST /remotes/server/register/transfer hostname',
  'POST /remotes/server/register/verify_challenge hostname',
]);

const give = (place: string, name: string): Promise<Reply> => {
  const { path, fields } = places[place] as NamePlace; // The table has each place.
  const url = path.replace(/\{(\w+)\}/, (_whole, what: string) => String(ids[what]));
  return place.startsWith('PATCH')
    ? owner.api.patch(url, fields(name))
    : owner.api.post(url, fields(name));
};

describe('every name that others read', () => {
  it('is in one of the lists of this test', () => {
    const found = operations().flatMap(({ name, method, fields }) =>
      fields.flatMap((field) =>
        method !== 'GET' && /(?:name|title|^subscriptions)$/.test(field.name)
          ? [`${name} ${field.name}`]
          : [],
      ),
    );
    expect(found.toSorted()).toEqual([...Object.keys(places), ...others].toSorted());
  });

  const hiding = [
    'user\u202Egnp.exe',
    'so\u00ADft',
    '\u2066isolated',
    'tag\u{E0041}',
    'fil\u3164ler',
  ];
  const invisible = ['\u2800\u2800', '\u200D\uFE0F\u200D'];

  it.each(Object.keys(places))('hides nothing: %s', async (place) => {
    for (const name of [...hiding, ...invisible]) {
      expect([name, await give(place, name)]).toMatchObject([name, { status: 400 }]);
    }
    // Joiners of emoji and of scripts; full names have none.
    if (place.endsWith('full_name')) return;
    const name = `\u2764\uFE0F Jos\u00E9 \u{1F469}\u200D\u{1F680} ${place.length}`;
    expect(await give(place, name)).toMatchObject(success);
  });

  const spellings = [
    'plan b',
    'PLAN B',
    'Plan  B',
    'Plan\u00A0B',
    'Plan \uFF22',
    'Plan\u3000B',
    'Pl\uFE0Fan B',
    'Pl\u0430n \u0412',
  ];
  const unique = Object.entries(places).filter(([, { isUnique }]) => isUnique);

  it.each(unique.map(([place, { kind }]) => [place, kind]))(
    'is compared in one way: %s',
    async (place, kind) => {
      const creator = unique.find(([name, one]) => one.kind === kind && name.startsWith('POST'));
      // The first test of a kind makes it.
      await give(creator?.[0] ?? '', 'Plan B');
      for (const name of spellings) {
        const reply = await give(place, name);
        expect([name, reply.status, reply.body['result']]).toEqual([name, 400, 'error']);
      }
    },
  );

  it('is given once by concurrent requests', async () => {
    for (const [place] of unique.filter(([name]) => name.startsWith('POST'))) {
      const replies = await Promise.all(
        ['Race A', 'race a', 'RACE  A', 'Race \uFF21'].map((name) => give(place, name)),
      );
      expect([place, replies.map(({ status }) => status).toSorted()]).toEqual([
        place,
        [200, 400, 400, 400],
      ]);
    }
  });

  it.each(Object.keys(places).filter((place) => places[place]?.isReserved))(
    'is none of the server: %s',
    async (place) => {
      for (const name of [
        'Notification Bot',
        'notification\u00A0bot',
        'WELCOME BOT',
        'N\u043Etification Bot',
        'All',
        'everyone',
        'Channel',
        'stream',
        'topic',
      ])
        expect([name, (await give(place, name)).status]).toEqual([name, 400]);
    },
  );

  it('of a group does not begin like that of a system group, in any case', async () => {
    for (const name of ['Role:everyone', 'ROLE:x', '\uFF52ole:x'])
      expect(await give('POST /user_groups/create name', name)).toMatchObject(
        badRequest("User group name cannot start with 'role:'."),
      );
  });

  it('subscribes to the channel that has it in another spelling', async () => {
    await give('POST /channels/create name', 'Look Alike');
    const reply = await give('POST /users/me/subscriptions subscriptions', 'LOOK\u00A0 alike');
    expect(reply.body['subscribed']).toEqual({ [owner.id]: ['Look Alike'] });
  });
});
