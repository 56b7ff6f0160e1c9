import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let author: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  author = await organisation.addPerson();
});

const missing = (name: string) => ({
  status: 404,
  body: { result: 'error', code: 'BAD_REQUEST', msg: `Emoji '${name}' does not exist` },
});

async function addEmoji(name: string, isDeactivated = false): Promise<number> {
  const { id } = await system.database.database.prisma.realmEmoji.create({
    data: {
      realmId: organisation.id,
      authorId: author.id,
      name,
      fileKey: `emoji/${organisation.id}/${name}.png`,
      isDeactivated,
    },
  });
  return id;
}

describe('GET /realm/emoji', () => {
  it('is empty without emoji', async () => {
    const reply = await author.api.get('/realm/emoji');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '', emoji: {} });
  });

  it('lists active and deactivated emoji by id, also for guests and bots', async () => {
    const parrot = await addEmoji('parrot');
    const retired = await addEmoji('retired', true);
    const images = `/user_avatars/${organisation.id}/emoji/images`;
    const guest = await organisation.addPerson({ role: roles.guest });
    const bot = await organisation.addPerson({ isBot: true });
    for (const { api } of [author, guest, bot]) {
      expect((await api.get('/realm/emoji')).body).toEqual({
        result: 'success',
        msg: '',
        emoji: {
          [parrot]: {
            id: String(parrot),
            name: 'parrot',
            source_url: `${images}/parrot.png`,
            still_url: null,
            deactivated: false,
            author_id: author.id,
          },
          [retired]: {
            id: String(retired),
            name: 'retired',
            source_url: `${images}/retired.png`,
            still_url: null,
            deactivated: true,
            author_id: author.id,
          },
        },
      });
    }
  });

  it('does not list the emoji of another organisation', async () => {
    const id = await addEmoji('parrot');
    const reply = await system.api('alice').get('/realm/emoji');
    expect(reply).toMatchObject(success);
    expect(reply.body['emoji']).not.toHaveProperty(String(id));
  });

  it('reports unknown parameters', async () => {
    const reply = await author.api.get('/realm/emoji', { colour: 'red' });
    expect(reply.body['ignored_parameters_unsupported']).toEqual(['colour']);
  });
});

describe('DELETE /realm/emoji/{emoji_name}', () => {
  const remove = (person: Person, name: string) =>
    person.api.delete(`/realm/emoji/${encodeURIComponent(name)}`);

  it('lets the author deactivate the emoji once', async () => {
    const id = await addEmoji('parrot');
    const reply = await remove(author, 'parrot');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    const { body } = await author.api.get('/realm/emoji');
    expect(body['emoji']).toMatchObject({ [id]: { name: 'parrot', deactivated: true } });
    expect(await remove(author, 'parrot')).toMatchObject(missing('parrot'));
  });

  it.each([
    ['an owner', roles.owner],
    ['an administrator', roles.administrator],
  ])('accepts %s', async (_who, role) => {
    await addEmoji('parrot');
    expect(await remove(await organisation.addPerson({ role }), 'parrot')).toMatchObject(success);
  });

  it.each([
    ['a moderator', roles.moderator],
    ['another member', roles.member],
    ['a guest', roles.guest],
  ])('rejects %s', async (_who, role) => {
    await addEmoji('parrot');
    const person = await organisation.addPerson({ role });
    expect(await remove(person, 'parrot')).toMatchObject(
      badRequest('Must be an organization administrator or emoji author'),
    );
    expect(await remove(author, 'parrot')).toMatchObject(success);
  });

  it.each(['nothing', 'Parrot', 'smile', "it's", '🦜', '%', 'a b'])(
    'rejects the unknown name "%s"',
    async (name) => {
      expect(await remove(author, name)).toMatchObject(missing(name));
    },
  );

  it('deactivates the active emoji among several with the name', async () => {
    const retired = await addEmoji('parrot', true);
    const active = await addEmoji('parrot');
    expect(await remove(author, 'parrot')).toMatchObject(success);
    const { body } = await author.api.get('/realm/emoji');
    expect(body['emoji']).toMatchObject({
      [retired]: { deactivated: true },
      [active]: { deactivated: true },
    });
  });

  it('succeeds once for concurrent requests', async () => {
    await addEmoji('parrot');
    const replies = await Promise.all([remove(author, 'parrot'), remove(author, 'parrot')]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it('does not change other organisations', async () => {
    await addEmoji('parrot');
    expect(await system.api('admin').delete('/realm/emoji/parrot')).toMatchObject(
      missing('parrot'),
    );
  });

  it('rejects a NUL', async () => {
    expect(await author.api.delete('/realm/emoji/a%00b')).toMatchObject(
      badRequest('emoji_name has invalid format'),
    );
  });
});
