import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const owner = useFixture(() => organisation.addPerson({ role: roles.owner }));

const prisma = () => system.database.database.prisma;

const full = (what: string, who = 'An organization') => ({
  status: 400,
  body: { code: 'LIMIT_REACHED', msg: `${who} may have at most ${what}.` },
});

/** A text of six bytes of JSON for each character. */
const controls = (characters: number) => '\u0001'.repeat(characters);

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

describe('The texts of a list of an organisation are bounded together', () => {
  it('those of its channels, in every request that adds or changes one', async () => {
    const own = await owner.api.post('/channels/create', { name: 'own', subscribers: [] });
    const id = String(own.body['id']);
    const rename = { new_name: 'renamed', description: 'x'.repeat(1000) };
    expect(await owner.api.patch(`/streams/${id}`, rename)).toMatchObject(success);
    // Each of 6,144 bytes and its entry.
    await prisma().channel.createMany({
      data: numbers(1590).map((index) => {
        return { realmId: organisation.id, name: `${index}`, description: controls(1024) };
      }),
    });
    const refused = full('10000000 bytes of names and descriptions of channels');
    const name = 'one more';
    const created = await owner.api.post('/channels/create', { name, subscribers: [] });
    expect(created).toMatchObject(refused);
    const subscriptions = [{ name }];
    const subscribed = await owner.api.post('/users/me/subscriptions', { subscriptions });
    expect(subscribed).toMatchObject(refused);
    const longer = { description: 'y'.repeat(1001) };
    expect(await owner.api.patch(`/streams/${id}`, longer)).toMatchObject(refused);
    // Other changes are possible.
    const policy = { topics_policy: 'disable_empty_topic' };
    expect(await owner.api.patch(`/streams/${id}`, policy)).toMatchObject(success);
  });

  it('those of its groups', async () => {
    const group = { name: 'own', description: '', members: [] };
    const own = await owner.api.post('/user_groups/create', group);
    await prisma().userGroup.createMany({
      data: numbers(1590).map((index) => {
        return { realmId: organisation.id, name: `${index}`, description: controls(1024) };
      }),
    });
    const refused = full('10000000 bytes of names and descriptions of groups');
    const more = { ...group, name: 'one more' };
    expect(await owner.api.post('/user_groups/create', more)).toMatchObject(refused);
    const path = `/user_groups/${String(own.body['group_id'])}`;
    const description = 'x'.repeat(1000);
    expect(await owner.api.patch(path, { description })).toMatchObject(refused);
  });

  it('those of its linkifiers', async () => {
    const own = await owner.api.post('/realm/filters', {
      pattern: '#(?P<id>[0-9]+)',
      url_template: 'https://example.com/{id}',
    });
    expect(own).toMatchObject(success);
    await prisma().linkifier.createMany({
      data: numbers(100).map((index) => {
        const alternativeUrlTemplates = [controls(1340)];
        return {
          realmId: organisation.id,
          pattern: `${index}`,
          urlTemplate: '',
          alternativeUrlTemplates,
        };
      }),
    });
    const refused = full('800000 bytes of linkifiers');
    const linkifier = { pattern: '!(?P<id>[0-9]+)', url_template: 'https://example.com/!{id}' };
    expect(await owner.api.post('/realm/filters', linkifier)).toMatchObject(refused);
    const path = `/realm/filters/${String(own.body['id'])}`;
    expect(await owner.api.patch(path, linkifier)).toMatchObject(refused);
  });

  it('those of its profile fields, and of the profile of an account', async () => {
    const field = await owner.api.post('/realm/profile_fields', { name: 'own', field_type: 2 });
    expect(field).toMatchObject(success);
    const fields = await prisma().profileField.createManyAndReturn({
      data: numbers(100).map((index) => {
        const fieldData = { text: controls(1330) };
        return {
          realmId: organisation.id,
          name: `${index}`,
          hint: '',
          fieldType: 1,
          fieldData,
          position: index,
        };
      }),
    });
    const more = { name: 'one more', field_type: 1 };
    expect(await owner.api.post('/realm/profile_fields', more)).toMatchObject(
      full('800000 bytes of custom profile fields'),
    );
    await prisma().profileValue.createMany({
      data: fields.slice(0, 12).map(({ id: fieldId }) => {
        return { userId: owner.id, fieldId, value: controls(660) };
      }),
    });
    const change = (value: string) =>
      owner.api.patch('/users/me/profile_data', { data: [{ id: field.body['id'], value }] });
    expect(await change('a')).toMatchObject(success);
    expect(await change('\u00E4'.repeat(500))).toMatchObject(
      full('50000 bytes of profile data', 'An account'),
    );
  });
});
