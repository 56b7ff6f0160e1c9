import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#contracts';
import { badRequest, success } from '../support/answers.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

jest.setTimeout(60_000);

let system: System;
let organisation: Organisation;
let author: Person;

beforeAll(async () => {
  system = await startGateway();
});

afterAll(() => system?.stop());

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
  it('is empty where there are none', async () => {
    const reply = await author.api.get('/realm/emoji');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '', emoji: {} });
  });

  it('lists active and deactivated ones by their ids, to guests and bots too', async () => {
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

  it('lists nothing of another organisation', async () => {
    const id = await addEmoji('parrot');
    const reply = await system.api('alice').get('/realm/emoji');
    expect(reply).toMatchObject(success);
    expect(reply.body['emoji']).not.toHaveProperty(String(id));
  });

  it('tells the parameters that it does not know', async () => {
    const reply = await author.api.get('/realm/emoji', { colour: 'red' });
    expect(reply.body['ignored_parameters_unsupported']).toEqual(['colour']);
  });
});

describe('DELETE /realm/emoji/{emoji_name}', () => {
  const remove = (person: Person, name: string) =>
    person.api.delete(`/realm/emoji/${encodeURIComponent(name)}`);

  it('is open to the author, once', async () => {
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
  ])('is open to %s', async (_who, role) => {
    await addEmoji('parrot');
    expect(await remove(await organisation.addPerson({ role }), 'parrot')).toMatchObject(success);
  });

  it.each([
    ['a moderator', roles.moderator],
    ['another member', roles.member],
    ['a guest', roles.guest],
  ])('is not open to %s', async (_who, role) => {
    await addEmoji('parrot');
    const person = await organisation.addPerson({ role });
    expect(await remove(person, 'parrot')).toMatchObject(
      badRequest('Must be an organization administrator or emoji author'),
    );
    expect(await remove(author, 'parrot')).toMatchObject(success);
  });

  it.each(['nothing', 'Parrot', 'smile', "it's", '🦜', '%', 'a b'])(
    'finds none called "%s"',
    async (name) => {
      expect(await remove(author, name)).toMatchObject(missing(name));
    },
  );

  it('takes the active one of several', async () => {
    const retired = await addEmoji('parrot', true);
    const active = await addEmoji('parrot');
    expect(await remove(author, 'parrot')).toMatchObject(success);
    const { body } = await author.api.get('/realm/emoji');
    expect(body['emoji']).toMatchObject({
      [retired]: { deactivated: true },
      [active]: { deactivated: true },
    });
  });

  it('is done once when two do it at once', async () => {
    await addEmoji('parrot');
    const replies = await Promise.all([remove(author, 'parrot'), remove(author, 'parrot')]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it('leaves other organisations alone', async () => {
    await addEmoji('parrot');
    expect(await system.api('admin').delete('/realm/emoji/parrot')).toMatchObject(
      missing('parrot'),
    );
  });

  it('refuses a NUL', async () => {
    expect(await author.api.delete('/realm/emoji/a%00b')).toMatchObject(
      badRequest('emoji_name has invalid format'),
    );
  });
});
