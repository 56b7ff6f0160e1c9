import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

interface World {
  readonly organisation: Organisation;
  readonly admin: Person;
  readonly guest: Person;
}

async function addWorld(): Promise<World> {
  const organisation = await addOrganisation(system);
  const admin = await organisation.addPerson({ role: roles.administrator });
  const guest = await organisation.addPerson({ role: roles.guest });
  return { organisation, admin, guest };
}

const issue = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://issues.test/{id}' };
const ticket = { pattern: 'T(?P<n>\\d+)', url_template: 'https://tickets.test/{n}' };
/** The members that clients use to turn addresses into texts, of a linkifier without any. */
const forwardOnly = { example_input: null, reverse_template: null, alternative_url_templates: [] };
const add = ({ admin }: World, fields: object = issue) =>
  admin.api.post('/realm/filters', { ...fields });
const addOne = async (world: World, fields: object = issue) =>
  Number((await add(world, fields)).body['id']);
const list = async ({ guest }: World) =>
  (await guest.api.get('/realm/linkifiers')).body['linkifiers'];
const reorder = ({ admin }: World, ids: readonly unknown[]) =>
  admin.api.patch('/realm/linkifiers', { ordered_linkifier_ids: ids });
const render = async ({ guest }: World, content: string) =>
  (await guest.api.post('/messages/render', { content })).body['rendered'];
const exists = badRequest('Realm filter with this Realm and Pattern already exists.');
const notFound = badRequest('Linkifier not found.');

describe('the linkifiers of an organisation', () => {
  it('are listed in their order, as in the state and in the events of capable clients', async () => {
    const world = await addWorld();
    const fields = { fetch_event_types: ['realm_linkifiers'], event_types: ['realm_linkifiers'] };
    const capable = { ...fields, client_capabilities: { linkifier_url_template: true } };
    const client = await EventClient.register(world.guest.api, capable);
    const older = await EventClient.register(world.guest.api, fields);
    const [first, second] = [await addOne(world), await addOne(world, ticket)];
    const stored = [
      { id: first, ...issue, ...forwardOnly },
      { id: second, ...ticket, ...forwardOnly },
    ];
    expect(await list(world)).toEqual(stored);
    expect(await reorder(world, [second, first])).toMatchObject(success);
    const path = `/realm/filters/${first}`;
    const changed = { ...issue, url_template: 'https://other.test/{id}' };
    expect(await world.admin.api.patch(path, changed)).toMatchObject(success);
    expect(await world.admin.api.delete(`/realm/filters/${second}`)).toMatchObject(success);
    const lists = (await client.drain()).map((event) => event['realm_linkifiers']);
    expect(lists).toEqual([
      stored.slice(0, 1),
      stored,
      stored.toReversed(),
      [stored[1], { id: first, ...changed, ...forwardOnly }],
      [{ id: first, ...changed, ...forwardOnly }],
    ]);
    const last = await EventClient.register(world.guest.api, capable);
    expect(last.state['realm_linkifiers']).toEqual(await list(world));
    expect(older.state['realm_linkifiers']).toEqual([]);
    for (const event of await older.drain()) expect(event['realm_linkifiers']).toEqual([]);
  });

  it('turn their matches in messages into links, but not in code or in other links', async () => {
    const world = await addWorld();
    expect(await render(world, '#12')).toBe('<p>#12</p>');
    await addOne(world);
    await addOne(world, { pattern: '(?P<x>b)!', url_template: 'https://b.test/?q={x}' });
    const link = (id: number) => `<a href="https://issues.test/${id}">#${id}</a>`;
    expect(await render(world, 'See #12, **#13**\n`#14` [#15](https://a.test)')).toBe(
      `<p>See ${link(12)}, <strong>${link(13)}</strong><br>\n<code>#14</code> <a href="https://a.test">#15</a></p>`,
    );
    expect(await render(world, 'b!')).toBe('<p><a href="https://b.test/?q=b">b!</a></p>');
    const other = await addWorld();
    expect(await render(other, '#12')).toBe('<p>#12</p>');
  });

  it('are changed by administrators', async () => {
    const world = await addWorld();
    const id = await addOne(world);
    const moderator = await world.organisation.addPerson({ role: roles.moderator });
    const replies = [
      await moderator.api.post('/realm/filters', ticket),
      await moderator.api.patch(`/realm/filters/${id}`, ticket),
      await moderator.api.delete(`/realm/filters/${id}`),
      await moderator.api.patch('/realm/linkifiers', { ordered_linkifier_ids: [id] }),
    ];
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 400, body: { code: 'UNAUTHORIZED_PRINCIPAL' } });
    }
  });

  it('have different patterns, also when requests meet', async () => {
    const world = await addWorld();
    const replies = await Promise.all([add(world), add(world)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies).toContainEqual(expect.objectContaining(exists));
    const id = await addOne(world, ticket);
    expect(await world.admin.api.patch(`/realm/filters/${id}`, issue)).toMatchObject(exists);
    expect(await world.admin.api.patch(`/realm/filters/${id}`, ticket)).toMatchObject(success);
  });

  it.each([
    [{ pattern: '(' }, 'Bad regular expression: '],
    [{ url_template: '' }, 'url_template cannot be blank'],
  ])('refuses %j', async (fields, msg) => {
    const world = await addWorld();
    const id = await addOne(world, ticket);
    const invalid = { ...issue, ...fields };
    for (const reply of [
      await add(world, invalid),
      await world.admin.api.patch(`/realm/filters/${id}`, invalid),
    ]) {
      expect(reply).toMatchObject({ status: 400, body: { msg: expect.stringContaining(msg) } });
    }
  });

  it('tell clients how to turn addresses into texts', async () => {
    const world = await addWorld();
    const reverse = {
      example_input: '#12',
      reverse_template: '#{id}',
      alternative_url_templates: ['https://old.test/?issue={id}'],
    };
    const id = await addOne(world, { ...issue, ...reverse });
    expect(await list(world)).toEqual([{ id, ...issue, ...reverse }]);
    const path = `/realm/filters/${id}`;
    // Missing ones stay, empty ones end.
    expect(await world.admin.api.patch(path, issue)).toMatchObject(success);
    expect(await list(world)).toEqual([{ id, ...issue, ...reverse }]);
    const empty = { example_input: '', reverse_template: '', alternative_url_templates: [] };
    expect(await world.admin.api.patch(path, { ...issue, ...empty })).toMatchObject(success);
    expect(await list(world)).toEqual([{ id, ...issue, ...forwardOnly }]);
  });

  it.each([
    [{ reverse_template: '#{id}' }, 'Example input required for reverse template.'],
    [{ example_input: '12' }, 'Example input does not match linkifier pattern.'],
    [
      { example_input: '#12', reverse_template: 'No. {id}' },
      'Reverse template does not produce the example input.',
    ],
    [
      { alternative_url_templates: ['https://a.test/{x}'] },
      "Group 'x' in URL template is not present in linkifier pattern.",
    ],
    [{ alternative_url_templates: ['javascript:{id}'] }, 'Invalid URL template.'],
  ])('refuse %j', async (fields, msg) => {
    const world = await addWorld();
    const id = await addOne(world, issue);
    expect(await add(world, { ...issue, pattern: '#(?P<id>[0-9]{2})', ...fields })).toMatchObject(
      badRequest(msg),
    );
    const path = `/realm/filters/${id}`;
    expect(await world.admin.api.patch(path, { ...issue, ...fields })).toMatchObject(
      badRequest(msg),
    );
  });

  it('are unknown to other organisations, and are ordered all together', async () => {
    const [world, other] = [await addWorld(), await addWorld()];
    const [first, second] = [await addOne(world), await addOne(world, ticket)];
    for (const id of [first, 2_147_483_647]) {
      const path = `/realm/filters/${id}`;
      expect(await other.admin.api.patch(path, issue)).toMatchObject(notFound);
      expect(await other.admin.api.delete(path)).toMatchObject(notFound);
    }
    for (const ids of [[first], [first, first], [first, second, 3], [first, 2_147_483_648]]) {
      expect(await reorder(world, ids)).toMatchObject(badRequest('Invalid order mapping.'));
    }
  });
});
