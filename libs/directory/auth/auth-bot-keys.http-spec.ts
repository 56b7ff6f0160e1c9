import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

describe('GET /bots/{bot_id}/api_key', () => {
  it('returns the key of a bot to its owner and to administrators, and to nobody else', async () => {
    const organisation = await addOrganisation(system);
    const owner = await organisation.addPerson();
    const admin = await organisation.addPerson({ role: roles.administrator });
    const other = await organisation.addPerson();
    const bot = await organisation.addPerson({ isBot: true, botOwnerId: owner.id });
    const { api_key } = (await bot.api.post('/users/me/api_key/regenerate')).body;
    const path = `/bots/${bot.id}/api_key`;
    for (const { api } of [owner, admin]) {
      expect(await api.get(path)).toMatchObject({ status: 200, body: { api_key } });
    }
    expect(await other.api.get(path)).toMatchObject(badRequest('Insufficient permission'));
    const elsewhere = await addOrganisation(system);
    const stranger = await elsewhere.addPerson({ role: roles.owner });
    const noSuchBot = badRequest('No such bot');
    expect(await stranger.api.get(path)).toMatchObject(noSuchBot);
    for (const id of [owner.id, 2 ** 40]) {
      expect(await admin.api.get(`/bots/${id}/api_key`)).toMatchObject(noSuchBot);
    }
    const where = { id: bot.id };
    await system.database.database.prisma.user.update({ where, data: { isActive: false } });
    expect(await admin.api.get(path)).toMatchObject(noSuchBot);
  });

  it('returns the key of a bot with the role of an owner to no administrator', async () => {
    const organisation = await addOrganisation(system);
    const [holder, other] = [
      await organisation.addPerson({ role: roles.owner }),
      await organisation.addPerson({ role: roles.owner }),
    ];
    const admin = await organisation.addPerson({ role: roles.administrator });
    const bot = await organisation.addPerson({ isBot: true, botOwnerId: holder.id });
    const { api_key } = (await bot.api.post('/users/me/api_key/regenerate')).body;
    expect(await holder.api.patch(`/users/${bot.id}`, { role: roles.owner })).toMatchObject(
      success,
    );
    const path = `/bots/${bot.id}/api_key`;
    for (const { api } of [holder, other]) {
      expect(await api.get(path)).toMatchObject({ status: 200, body: { api_key } });
    }
    expect(await admin.api.get(path)).toMatchObject(badRequest('Insufficient permission'));
  });
});
