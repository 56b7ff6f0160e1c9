import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { sendRequest } from '#test/http-request';
import { addOrganisation, type Organisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { systemGroupIds } from '#test/user-groups';

const system = useGateway();

const PASSWORD = 'correct horse battery staple';

const signIn = ({ host }: Organisation, email: string) =>
  sendRequest(`${system.gatewayUrl}/api/v1/fetch_api_key`, {
    method: 'POST',
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: email, password: PASSWORD }).toString(),
  });

describe('POST /fetch_api_key of an account that an administrator has created', () => {
  it('moves the date to the first sign-in with the password, once, with its event', async () => {
    const organisation = await addOrganisation(system);
    const admin = await organisation.addPerson({ role: roles.administrator });
    const email = `new@${organisation.host}`;
    const created = await admin.api.post('/users', { email, password: PASSWORD, full_name: 'New' });
    expect(created).toMatchObject(success);
    const id = Number(created.body['user_id']);
    const { prisma } = system.database.database;
    const longAgo = new Date('2026-01-02T03:04:00Z');
    await prisma.user.update({ where: { id }, data: { dateJoined: longAgo } });
    const dateOf = async () => {
      const { body } = await admin.api.get(`/users/${id}`);
      return (body['user'] as Record<string, unknown>)['date_joined'];
    };
    const before = await dateOf();
    const client = await EventClient.register(admin.api, { event_types: ['realm_user'] });
    const replies = await Promise.all([signIn(organisation, email), signIn(organisation, email)]);
    for (const reply of replies) expect(reply).toMatchObject({ status: 200 });
    const after = await dateOf();
    expect(after).not.toBe(before);
    expect(await client.drain()).toMatchObject([
      { type: 'realm_user', op: 'update', person: { user_id: id, date_joined: after } },
    ]);
    // The key works, and a later sign-in changes nothing.
    await prisma.user.update({ where: { id }, data: { dateJoined: longAgo } });
    expect(await signIn(organisation, email)).toMatchObject({ status: 200 });
    expect(await dateOf()).toBe(before);
    expect(await client.drain()).toEqual([]);
  });

  it('removes an account that has waited from the full members, with the event', async () => {
    const organisation = await addOrganisation(system);
    const admin = await organisation.addPerson({ role: roles.administrator });
    const email = `new@${organisation.host}`;
    const created = await admin.api.post('/users', { email, password: PASSWORD, full_name: 'New' });
    const id = Number(created.body['user_id']);
    const { prisma } = system.database.database;
    const longAgo = new Date('2026-01-02T03:04:00Z');
    await prisma.user.update({ where: { id }, data: { dateJoined: longAgo } });
    const where = { id: organisation.id };
    await prisma.realm.update({ where, data: { waitingPeriodDays: 3 } });
    const { 'role:fullmembers': groupId } = await systemGroupIds(system, organisation);
    const membersOf = async () =>
      (await admin.api.get(`/user_groups/${groupId}/members`, { direct_member_only: true })).body;
    expect(await membersOf()).toMatchObject({ members: [id] });
    const client = await EventClient.register(admin.api, { event_types: ['user_group'] });
    expect(await signIn(organisation, email)).toMatchObject({ status: 200 });
    expect(await membersOf()).toMatchObject({ members: [] });
    expect(await client.drain()).toMatchObject([
      { type: 'user_group', op: 'remove_members', group_id: groupId, user_ids: [id] },
    ]);
  });
});
