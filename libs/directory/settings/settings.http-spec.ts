import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { encodeForm } from '#test/api-client';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { SettingRepository } from './setting.repository.js';
import type { SettingValue } from './setting-kinds.js';
import { settingNames, settingOf, type SettingName } from './setting-table.rules.js';
import { userSettings } from './settings.rules.js';
import { changeSettings } from './settings.schema.js';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system, { requiresUniqueNames: true }));
let person: Person;

beforeEach(async () => {
  person = await organisation.addPerson();
});

const stored = () =>
  system.database.database.prisma.user.findUniqueOrThrow({ where: { id: person.id } });

/** The settings of an account, as they are reported. */
const reported = async (userId = person.id) =>
  userSettings(await new SettingRepository(system.database.database).get(userId));

/** The permitted values of a setting besides its default; of the languages only some. */
function otherValuesOf(name: SettingName): SettingValue[] {
  const { schema, initial } = settingOf(name);
  const candidates = [true, false, null, 1, 2, 3, 4, 20, 150, 'de', 'pt-br', 'inbox', 'recent'];
  return [
    ...candidates,
    'always',
    'never',
    'all_messages',
    'google',
    'google-blob',
    'twitter',
    'text',
  ].filter((value) => value !== initial && schema.safeParse(value).success);
}

const notListed = (name: string) =>
  `Invalid ${name}: Value error, Not in the list of possible values`;

describe('PATCH /settings', () => {
  it('changes nothing without parameters', async () => {
    const before = await stored();
    expect((await person.api.patch('/settings')).body).toEqual({ result: 'success', msg: '' });
    expect(await stored()).toEqual(before);
  });

  it('lists unsupported parameters', async () => {
    const reply = await person.api.patch('/settings', { presence_enabled: true, dense_mode: true });
    expect(reply.body).toMatchObject({ ignored_parameters_unsupported: ['dense_mode'] });
  });

  it.each(changeSettings.refuses ?? [])('refuses %s, and changes nothing', async (name) => {
    const before = await stored();
    expect(await person.api.patch('/settings', { enter_sends: true, [name]: 'x' })).toMatchObject(
      badRequest(`This server does not support the parameter '${name}'.`),
    );
    expect(await stored()).toEqual(before);
  });

  it('takes the older name of a view for the view', async () => {
    for (const web_home_view of ['recent', 'recent_topics']) {
      await person.api.patch('/settings', { web_home_view: 'inbox' });
      expect(await person.api.patch('/settings', { web_home_view })).toMatchObject(success);
      expect(await reported()).toMatchObject({ web_home_view: 'recent' });
    }
    // As an earlier release has stored it.
    const displaySettings = { web_home_view: 'recent_topics' };
    const where = { id: person.id };
    await system.database.database.prisma.user.update({ where, data: { displaySettings } });
    expect(await reported()).toMatchObject({ web_home_view: 'recent' });
  });

  it.each([
    ['a guest', { role: roles.guest }],
    ['a bot', { isBot: true }],
  ])('accepts %s', async (_caller, traits) => {
    const { api } = await organisation.addPerson(traits);
    expect(await api.patch('/settings', { timezone: 'UTC' })).toMatchObject(success);
  });

  it('stops and resumes the sharing of presence, also for cached sign-ins', async () => {
    const before = await stored();
    await person.api.get('/users/me');
    expect(await person.api.patch('/settings', { presence_enabled: false })).toMatchObject(success);
    const hidden = await stored();
    expect(hidden).toMatchObject({
      isPresenceEnabled: false,
      authVersion: before.authVersion + 1,
      keyGeneration: before.keyGeneration,
    });
    expect(await person.api.patch('/settings', { presence_enabled: false })).toMatchObject(success);
    expect(await stored()).toEqual(hidden);
    expect(await person.api.patch('/settings', { presence_enabled: true })).toMatchObject(success);
    expect(await stored()).toMatchObject({ isPresenceEnabled: true });
  });

  it('keeps the account signed in during concurrent changes', async () => {
    const before = await stored();
    const replies = await Promise.all(
      [false, true, false, true].map((presence_enabled) =>
        person.api.patch('/settings', { presence_enabled }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await stored()).apiKeyHash).toEqual(before.apiKeyHash);
    expect(await person.api.get('/users/me')).toMatchObject({ status: 200 });
  });

  it.each([
    ['enable_offline_push_notifications', 'isPushEnabled'],
    ['enable_online_push_notifications', 'isPushedOnline'],
    ['enable_stream_push_notifications', 'isPushedChannels'],
    ['wildcard_mentions_notify', 'isPushedWildcards'],
  ] as const)('changes %s, and nothing else', async (parameter, column) => {
    const before = await stored();
    for (const value of [!before[column], before[column]]) {
      expect(await person.api.patch('/settings', { [parameter]: value })).toMatchObject(success);
      expect(await stored()).toEqual({
        ...before,
        [column]: value,
        editedSettings: [parameter],
      });
    }
    expect(await person.api.patch('/settings', { [parameter]: 'often' })).toMatchObject({
      status: 400,
      body: { msg: `${parameter} is not valid JSON` },
    });
  });

  const displayed = settingNames.filter((name) => settingOf(name).column === undefined);

  it.each(displayed)('changes %s to each permitted value, and back', async (name) => {
    const others = await reported();
    for (const value of [...otherValuesOf(name), settingOf(name).initial]) {
      const sent = typeof value === 'string' ? value : JSON.stringify(value);
      const { body } = await person.api.patch('/settings', { [name]: sent });
      expect(body).toEqual({ result: 'success', msg: '' });
      expect(await reported()).toEqual({ ...others, [name]: value });
    }
  });

  it('opens a channel with its topics, or with its first unread topic', async () => {
    for (const web_channel_default_view of [4, 3]) {
      await person.api.patch('/settings', { web_channel_default_view });
      expect(await reported()).toMatchObject({ web_channel_default_view });
    }
  });

  it('changes several settings in one request', async () => {
    const change = {
      twenty_four_hour_time: 'null',
      color_scheme: 2,
      default_language: 'pt-br',
      timezone: 'UTC',
      presence_enabled: false,
      full_name: `Several ${person.id}`,
    };
    expect(await person.api.patch('/settings', change)).toMatchObject(success);
    expect(await stored()).toMatchObject({
      displaySettings: { twenty_four_hour_time: null, color_scheme: 2, default_language: 'pt-br' },
      timezone: 'UTC',
      isPresenceEnabled: false,
      fullName: change.full_name,
    });
  });

  it('takes parameters from the query, without a body', async () => {
    const reply = await person.api.patch('/settings?enter_sends=true&emojiset=text');
    expect(reply).toMatchObject(success);
    expect(await reported()).toMatchObject({ enter_sends: true, emojiset: 'text' });
  });

  it('changes the settings of the caller only', async () => {
    const other = await organisation.addPerson();
    const others = await reported(other.id);
    await person.api.patch('/settings', { enter_sends: true, emojiset: 'text', timezone: 'UTC' });
    expect(await reported(other.id)).toEqual(others);
  });

  it('changes the name', async () => {
    const full_name = `Renamed ${person.id}`;
    expect(await person.api.patch('/settings', { full_name: ` ${full_name} ` })).toMatchObject(
      success,
    );
    expect((await person.api.get('/users/me')).body).toMatchObject({ full_name });
    expect(
      await person.api.patch('/settings', { full_name: full_name.toUpperCase() }),
    ).toMatchObject(success);
  });

  it.each([
    ['without a type', {}],
    ['of an announced multipart form', { 'content-type': 'multipart/form-data; boundary=edge' }],
  ])('reads parameters from the query, with an empty body %s', async (kind, headers) => {
    const full_name = `Queried ${kind}`;
    const reply = await person.api.send('PATCH', `/settings?${encodeForm({ full_name })}`, {
      headers: { 'content-length': '0', ...headers },
    });
    expect(reply).toMatchObject(success);
    expect((await person.api.get('/users/me')).body).toMatchObject({ full_name });
  });

  it('refuses an invalid name, and then changes nothing', async () => {
    const before = await stored();
    const change = { full_name: '', timezone: 'UTC', presence_enabled: false };
    expect(await person.api.patch('/settings', change)).toMatchObject(
      badRequest('Name too short!'),
    );
    expect(await stored()).toEqual(before);
  });

  it('rejects a duplicate name and changes nothing if names must be unique', async () => {
    const other = await organisation.addPerson({ fullName: `Taken ${person.id}` });
    const before = await stored();
    const change = { full_name: `taken ${person.id}`, timezone: 'UTC', presence_enabled: false };
    expect(await person.api.patch('/settings', change)).toMatchObject(
      badRequest('Unique names required in this organization.'),
    );
    expect(await stored()).toEqual(before);
    const full_name = `Contested ${person.id}`;
    const replies = await Promise.all(
      [person, other].map(({ api }) => api.patch('/settings', { full_name })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('accepts a duplicate name if names need not be unique', async () => {
    const elsewhere = await addOrganisation(system);
    await elsewhere.addPerson({ fullName: 'Sam Same' });
    const { api } = await elsewhere.addPerson();
    expect(await api.patch('/settings', { full_name: 'Sam Same' })).toMatchObject(success);
  });

  it('changes the time zone', async () => {
    await person.api.patch('/settings', { timezone: 'europe/berlin' });
    expect((await person.api.get('/users/me')).body).toMatchObject({ timezone: 'Europe/Berlin' });
    await person.api.patch('/settings', { timezone: '' });
    expect((await person.api.get('/users/me')).body).toMatchObject({ timezone: '' });
  });

  it.each([
    [{ timezone: 'Mars/Base' }, 'Invalid timezone: Value error, Not a recognized time zone'],
    [{ timezone: '+05:30' }, 'Invalid timezone: Value error, Not a recognized time zone'],
    [{ timezone: 'a\0b' }, 'timezone has invalid format'],
    [{ presence_enabled: 1 }, 'presence_enabled is not a boolean'],
    [{ presence_enabled: 'True' }, 'presence_enabled is not valid JSON'],
    [{ presence_enabled: 'null' }, 'presence_enabled is not a boolean'],
    [{ enter_sends: 'null' }, 'enter_sends is not a boolean'],
    [{ twenty_four_hour_time: 1 }, 'twenty_four_hour_time is not a boolean'],
    [{ default_language: 'tlh' }, 'Invalid default_language'],
    [{ default_language: '"en"' }, 'Invalid default_language'],
    [{ default_language: '' }, 'Invalid default_language'],
    [{ default_language: 'e'.repeat(5000) }, 'Invalid default_language'],
    [{ color_scheme: 4 }, notListed('color_scheme')],
    [{ color_scheme: '2.0' }, 'color_scheme is not an integer'],
    [{ color_scheme: '"2"' }, 'color_scheme is not an integer'],
    [{ color_scheme: 'dark' }, 'color_scheme is not valid JSON'],
    [{ demote_inactive_streams: 0 }, notListed('demote_inactive_streams')],
    [{ web_home_view: 'planets' }, notListed('web_home_view')],
    [{ web_home_view: 'w'.repeat(5000) }, notListed('web_home_view')],
    [{ emojiset: 'apple' }, notListed('emojiset')],
    [{ emojiset: 'a\0b' }, 'emojiset has invalid format'],
  ])('refuses %j, and then changes nothing', async (change, msg) => {
    const before = await stored();
    const given = { enable_sounds: false, ...change, wildcard_mentions_notify: false };
    expect(await person.api.patch('/settings', given)).toMatchObject(badRequest(msg));
    expect(await stored()).toEqual(before);
  });
});
