import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { RecordingTerminal } from '#test/recording-terminal';
import { useGateway } from '#test/start-gateway';
import { addGroup, systemGroupIds } from '#test/user-groups';
import { runCommandLine } from './run-command-line.js';

const system = useGateway();
let organisation: Organisation;
let subdomain: string;
let member: Person;
let guest: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  subdomain = organisation.host.split('.', 1)[0] ?? '';
  member = await organisation.addPerson();
  guest = await organisation.addPerson({ role: roles.guest });
});

/** Runs the command with these arguments and `--json`. */
async function set(setting: string, value: string, of = subdomain) {
  const terminal = new RecordingTerminal();
  const args = ['organisation', 'set', of, setting, value, '--json'];
  const environment = system.environmentOf('api-gateway');
  const exitCode = await runCommandLine(args, terminal, { environment });
  const { output, remarks } = terminal;
  return { exitCode, body: JSON.parse(exitCode === 0 ? output : remarks) as unknown };
}

async function done(setting: string, value: string): Promise<unknown> {
  const { exitCode, body } = await set(setting, value);
  expect({ exitCode, body }).toMatchObject({ exitCode: 0 });
  return body;
}

const register = ({ api }: Person) => EventClient.register(api);

const ofRealm = async (client: EventClient): Promise<ReceivedEvent[]> =>
  (await client.drain()).filter(({ type }) => type === 'realm');

/** Whether the queue of a client is left. */
const isAlive = async (client: EventClient): Promise<boolean> =>
  (await client.poll({ dont_block: true })).status === 200;

/** The values of the events, by property, applied in order. */
const appliedOf = (events: readonly ReceivedEvent[]): Record<string, unknown> =>
  Object.assign(
    {},
    ...events.map(({ op, property, value, data }) =>
      op === 'update_dict' ? data : { [String(property)]: value },
    ),
  ) as Record<string, unknown>;

describe('carillon organisation set', () => {
  it.each([
    [
      'description',
      '**We** build',
      {
        description: '**We** build',
        rendered_description: '<p><strong>We</strong> build</p>',
      },
    ],
    ['description', '42', { description: '42', rendered_description: '<p>42</p>' }],
    ['name', 'Firm 2', { name: 'Firm 2' }],
    ['send_channel_events_messages', 'false', { send_channel_events_messages: false }],
    ['upload_quota_mib', '7', { upload_quota_mib: 7 }],
    ['waiting_period_threshold', '3', { waiting_period_threshold: 3 }],
    [
      'topics_policy',
      'disable_empty_topic',
      { topics_policy: 'disable_empty_topic', mandatory_topics: true },
    ],
    ['message_retention_days', '90', { message_retention_days: 90 }],
    ['require_e2ee_push_notifications', 'true', { require_e2ee_push_notifications: true }],
  ])('tells clients %s %s, as a new registration has it', async (setting, value, expected) => {
    const client = await register(member);
    const answer = await done(setting, value);
    expect(answer).toMatchObject({ id: organisation.id, subdomain, setting });
    await done(setting, value);
    const events = await ofRealm(client);
    expect(events).toHaveLength(1);
    expect(appliedOf(events)).toEqual(expected);
    const { state } = await register(member);
    for (const [name, given] of Object.entries(expected))
      expect(state[`realm_${name}`]).toBe(given);
  });

  it('removes a quota, and ends the retention of messages', async () => {
    await done('upload_quota_mib', '7');
    await done('message_retention_days', '90');
    const client = await register(member);
    expect(await done('upload_quota_mib', 'null')).toMatchObject({ value: null });
    await done('message_retention_days', 'unlimited');
    expect(appliedOf(await ofRealm(client))).toEqual({
      upload_quota_mib: null,
      message_retention_days: -1,
    });
  });

  it('chooses a channel for announcements', async () => {
    const { id } = await system.database.database.prisma.channel.create({
      data: { realmId: organisation.id, name: 'news' },
    });
    await done('new_stream_announcements_stream_id', String(id));
    expect((await register(member)).state).toMatchObject({
      realm_new_stream_announcements_stream_id: id,
    });
    // Only a private channel gets reports.
    expect(await set('moderation_request_channel_id', String(id))).toMatchObject({
      exitCode: 1,
      body: { error: { code: 'refused', message: expect.stringContaining('must be private') } },
    });
  });

  it('applies the rules of new accounts', async () => {
    const owner = await organisation.addPerson({ role: roles.owner });
    let people = 0;
    const create = (domain: string, full_name: string) => {
      people += 1;
      const email = `new${people}@${domain}`;
      return owner.api.post('/users', { email, full_name, password: 'correct horse battery' });
    };
    await done('domains', '[{"domain": "Example.org", "allow_subdomains": true}]');
    await done('domains', '[{"domain": "example.org"}, {"domain": "example.net"}]');
    expect(await create('sub.example.org', 'One')).toMatchObject({ status: 400 });
    expect(await create('example.net', 'Two')).toMatchObject(success);
    await done('domains', '[]');
    await done('require_unique_names', 'true');
    expect(await create('example.com', 'two')).toMatchObject({ status: 400 });
    await done('require_unique_names', 'false');
    expect(await create('example.com', 'two')).toMatchObject(success);
    await done('disallow_disposable_email_addresses', 'false');
    expect(await create('mailinator.com', 'Three')).toMatchObject(success);
  });

  it('gives permissions to groups and to single accounts, and takes them back', async () => {
    const name = 'can_create_users_group';
    const { 'role:administrators': administrators, 'role:moderators': moderators } =
      await systemGroupIds(system, organisation);
    const holders = { direct_members: [member.id], direct_subgroups: [] };
    const client = await register(member);
    const held = async () => (await register(member)).state[`realm_${name}`];
    await done(name, 'role:moderators');
    expect(await held()).toBe(moderators);
    await done(name, JSON.stringify(holders));
    await done(name, JSON.stringify(holders));
    expect(await held()).toEqual(holders);
    await done(name, 'role:administrators');
    expect(await held()).toBe(administrators);
    const values = (await ofRealm(client)).map((event) => event['data']);
    expect(values).toEqual(
      [moderators, holders, administrators].map((value) => ({ [name]: value })),
    );
    const where = { realmId: organisation.id, name: null };
    expect(await system.database.database.prisma.userGroup.count({ where })).toBe(0);
  });

  it('refuses groups that do not exist or cannot have a permission', async () => {
    const name = 'can_manage_all_groups';
    const elsewhere = await addGroup(system, await addOrganisation(system));
    for (const value of ['role:everyone', String(elsewhere), '2147483648']) {
      expect(await set(name, value)).toMatchObject({
        exitCode: 1,
        body: { error: { code: 'refused' } },
      });
    }
  });

  it('ends the queues of the guests that see other accounts than before', async () => {
    const trusted = await organisation.addPerson({ role: roles.guest });
    const group = await addGroup(system, organisation, { members: [trusted.id] });
    const registered = () => Promise.all([member, guest, trusted].map(register));
    const leftAfter = async (value: string) => {
      const clients = await registered();
      await done('can_access_all_users_group', value);
      return Promise.all(clients.map(isAlive));
    };
    expect(await leftAfter(String(group))).toEqual([true, false, true]);
    const shown = (await register(guest)).state['realm_users'] as { full_name: string }[];
    expect(shown.filter(({ full_name }) => full_name === 'Unknown user')).toHaveLength(2);
    expect(await leftAfter('role:members')).toEqual([true, true, false]);
    expect(await leftAfter('role:everyone')).toEqual([true, false, false]);
    expect(await leftAfter('role:everyone')).toEqual([true, true, true]);
  });

  it('shows channels of the full members to those who become full members', async () => {
    const { 'role:fullmembers': fullMembers = 0 } = await systemGroupIds(system, organisation);
    const { id } = await system.database.database.prisma.channel.create({
      data: {
        realmId: organisation.id,
        name: 'inner',
        isPrivate: true,
        canSubscribeId: fullMembers,
      },
    });
    const client = await register(member);
    await done('waiting_period_threshold', '3');
    expect(await client.drain()).toMatchObject([
      { type: 'realm', property: 'waiting_period_threshold' },
      { type: 'stream', op: 'delete', stream_ids: [id] },
    ]);
    await done('waiting_period_threshold', '0');
    expect(await client.drain()).toMatchObject([
      { type: 'realm' },
      { type: 'stream', op: 'create', streams: [{ stream_id: id }] },
    ]);
  });

  it.each([
    ['an unknown setting', 'color', 'red', /topics_policy: allow_empty_topic or/],
    ['an inherited name', 'constructor', '1', /There is no setting/],
    ['an unknown policy', 'topics_policy', 'empty_topic_only', /It is allow_empty_topic or/],
    ['a negative number', 'waiting_period_threshold', '-1', /from 0 to 36500/],
    ['a long description', 'description', 'x'.repeat(1001), /at most 1000 characters/],
    ['no JSON', 'domains', 'example.org', /a list of at most 100 objects/],
    ['a domain twice', 'domains', '[{"domain":"a.org"},{"domain":"A.org"}]', /a list of/],
    ['a label as a domain', 'domains', '[{"domain":"localhost"}]', /a list of/],
    ['an unknown group', 'can_create_users_group', 'role:internet', /role:nobody/],
  ])('says what is allowed instead of %s', async (_what, setting, value, text) => {
    expect(await set(setting, value)).toEqual({
      exitCode: 2,
      body: { error: { code: 'wrong_use', message: expect.stringMatching(text) } },
    });
  });

  it('refuses an unknown organisation', async () => {
    expect(await set('description', 'x', 'nowhere')).toMatchObject({
      exitCode: 1,
      body: { error: { code: 'unknown_organisation' } },
    });
  });
});
