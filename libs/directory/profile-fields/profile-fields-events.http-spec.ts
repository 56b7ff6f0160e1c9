import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { fieldTypes } from './profile-field.js';
import { ProfileFieldEvents } from './profile-fields.events.js';

const PATH = '/realm/profile_fields';
const DATA = '/users/me/profile_data';
const audience = { everyone: 'all' };

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let recorded: RecordedEvents;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  recorded = new RecordedEvents(system, organisation);
});

const create = async (name: string, more: object = {}): Promise<number> => {
  const field = { name, field_type: fieldTypes.shortText, ...more };
  return Number((await owner.api.post(PATH, field)).body['id']);
};
const shown = (id: number, name: string, more: object = {}) => ({
  id,
  type: fieldTypes.shortText,
  order: id,
  name,
  hint: '',
  field_data: '',
  required: false,
  editable_by_user: true,
  use_for_user_matching: false,
  ...more,
});
const listEvent = (...fields: object[]) => ({
  type: 'custom_profile_fields',
  body: { fields },
  audience,
});
const valueEvent = (custom_profile_field: object) => ({
  type: 'realm_user',
  body: { op: 'update', person: { user_id: owner.id, custom_profile_field } },
  audience,
});

describe(ProfileFieldEvents.name, () => {
  it('stores all fields with each change of the list, and nothing of a refused change', async () => {
    let [team, role] = [0, 0];
    const events = await recorded.during(async () => {
      team = await create('Team');
      role = await create('Role', { display_in_profile_summary: true });
      await create('Role');
      await owner.api.patch(PATH, { order: [role, team] });
      await owner.api.patch(PATH, { order: [role] });
      await owner.api.delete(`${PATH}/${team}`);
      await owner.api.delete(`${PATH}/${team}`);
    });
    const summary = shown(role, 'Role', { display_in_profile_summary: true });
    expect(events).toEqual([
      listEvent(shown(team, 'Team')),
      listEvent(shown(team, 'Team'), summary),
      listEvent({ ...summary, order: 0 }, shown(team, 'Team', { order: 1 })),
      listEvent({ ...summary, order: 0 }),
    ]);
  });

  it('ends with the stored list after concurrent changes', async () => {
    const old = await create('Old');
    const events = await recorded.during(() =>
      Promise.all([
        ...['A', 'B', 'C'].map((name) => create(name)),
        owner.api.delete(`${PATH}/${old}`),
      ]),
    );
    const { body } = await owner.api.get(PATH);
    const ids = (body['custom_fields'] as { id: number }[]).map(({ id }) => ({ id }));
    expect(events.at(-1)).toMatchObject({ body: { fields: ids } });
    expect(ids).toHaveLength(3);
  });

  it('stores each value that changed', async () => {
    const [team, link] = [
      await create('Team'),
      await create('Link', { field_type: fieldTypes.link }),
    ];
    const address = 'https://chat.test/';
    const events = await recorded.during(async () => {
      const data = [
        { id: team, value: '*Blue*' },
        { id: link, value: address },
      ];
      await owner.api.patch(DATA, { data });
      await owner.api.patch(DATA, { data });
      await owner.api.delete(DATA, { data: [team] });
      await owner.api.delete(DATA, { data: [team] });
    });
    const rendered_value = '<p><em>Blue</em></p>';
    expect(events).toEqual([
      valueEvent({ id: team, value: '*Blue*', rendered_value }),
      valueEvent({ id: link, value: address }),
      valueEvent({ id: team, value: null }),
    ]);
  });
});
