import { beforeEach, describe, expect, it } from '@jest/globals';
import { administratorsOnly, badRequest, idOf } from '#test/answers';
import { roles } from '#directory/roles';
import type { Fields } from '#test/api-client';
import { boundStatements } from '#test/bounded-statements';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const PATH = '/realm/profile_fields';

const system = useGateway();
let organisation: Organisation;
let administrator: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  administrator = await organisation.addPerson({ role: roles.administrator });
});

const create = (fields: Fields) => administrator.api.post(PATH, { field_type: 1, ...fields });
const listed = async () => (await administrator.api.get(PATH)).body['custom_fields'];

describe('DELETE /realm/profile_fields/{field_id}', () => {
  it('deletes a field and its values once', async () => {
    const id = idOf(await create({ name: 'Team' }));
    await administrator.api.patch('/users/me/profile_data', { data: [{ id, value: 'Blue' }] });
    const reply = await administrator.api.delete(`${PATH}/${id}`);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await listed()).toEqual([]);
    const { prisma } = system.database.database;
    expect(await prisma.profileValue.count({ where: { userId: administrator.id } })).toBe(0);
    expect(await administrator.api.delete(`${PATH}/${id}`)).toMatchObject(
      badRequest(`Field id ${id} not found.`),
    );
  });

  /** Creates a field with more values than a batch. */
  async function createFilled(): Promise<number> {
    const id = idOf(await create({ name: 'Team' }));
    await system.database.database.prisma.$executeRaw`
      WITH crowd AS (
        INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
        SELECT ${organisation.id}, 'crowd' || number, 'crowd' || number, 'Crowd', 400,
          sha256(convert_to(${organisation.host} || number, 'UTF8')), ''
        FROM generate_series(1, 6000) AS number
        RETURNING id
      )
      INSERT INTO profile_values (field_id, user_id, value) SELECT ${id}, id, 'Blue' FROM crowd`;
    return id;
  }

  it('deletes many values in batches', async () => {
    const id = await createFilled();
    const limit = { table: 'profile_values', operation: 'DELETE', most: 5000 } as const;
    const bound = await boundStatements(system, limit);
    const reply = await administrator.api.delete(`${PATH}/${id}`);
    await bound.lift();
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await listed()).toEqual([]);
  });

  it('deletes nothing if it fails half-way', async () => {
    const id = await createFilled();
    const limit = { table: 'profile_values', operation: 'DELETE', most: 5000, after: 1 } as const;
    const bound = await boundStatements(system, limit);
    expect(await administrator.api.delete(`${PATH}/${id}`)).toMatchObject({ status: 503 });
    await bound.lift();
    const { prisma } = system.database.database;
    expect(await listed()).toHaveLength(1);
    expect(await prisma.profileValue.count({ where: { fieldId: id } })).toBe(6000);
    const reply = await administrator.api.delete(`${PATH}/${id}`);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await listed()).toEqual([]);
    expect(await prisma.profileValue.count({ where: { fieldId: id } })).toBe(0);
  });

  it('does not find a field of another organisation', async () => {
    const id = idOf(await create({ name: 'Team' }));
    expect(await system.api('owner').delete(`${PATH}/${id}`)).toMatchObject(
      badRequest(`Field id ${id} not found.`),
    );
  });

  it('rejects invalid ids', async () => {
    expect(await administrator.api.delete(`${PATH}/99999999999`)).toMatchObject(
      badRequest('field_id is too large'),
    );
    expect(await administrator.api.delete(`${PATH}/x`)).toMatchObject({ status: 404 });
  });

  it('rejects callers who are not administrators', async () => {
    const { api } = await organisation.addPerson({ role: roles.moderator });
    expect(await api.delete(`${PATH}/1`)).toMatchObject(administratorsOnly);
    expect(await system.anonymous().delete(`${PATH}/1`)).toMatchObject({ status: 401 });
  });
});
