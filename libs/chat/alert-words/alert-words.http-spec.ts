import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let person: Person;
let sender: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  [person, sender] = [await organisation.addPerson(), await organisation.addPerson()];
});

const path = '/users/me/alert_words';
const add = (words: unknown, by = person) => by.api.post(path, { alert_words: words });
const remove = (words: unknown, by = person) => by.api.delete(path, { alert_words: words });
const list = async (by = person) => (await by.api.get(path)).body['alert_words'];

describe('/users/me/alert_words', () => {
  it('adds, lists and removes words in any case', async () => {
    const added = await add(['Lunch', ' big  cake ', 'lunch', '', 'c++']);
    expect(added.body).toEqual({ ...success.body, alert_words: ['big  cake', 'c++', 'Lunch'] });
    expect((await add(['LUNCH'])).body['alert_words']).toEqual(['big  cake', 'c++', 'Lunch']);
    expect((await remove(['lunch', 'unknown'])).body['alert_words']).toEqual(['big  cake', 'c++']);
    expect(await list()).toEqual(['big  cake', 'c++']);
    expect(await list(sender)).toEqual([]);
  });

  it('sends events only to the clients of the account, and only for changes', async () => {
    const [own, others] = [
      await EventClient.register(person.api, { event_types: ['alert_words'] }),
      await EventClient.register(sender.api, { event_types: ['alert_words'] }),
    ];
    expect(own.state['alert_words']).toEqual([]);
    await add(['b', 'a']);
    await add(['A']);
    await remove(['x']);
    await remove(['b']);
    expect(await own.drain()).toMatchObject([
      { type: 'alert_words', alert_words: ['a', 'b'] },
      { type: 'alert_words', alert_words: ['a'] },
    ]);
    expect(await others.drain()).toEqual([]);
    const { state } = await EventClient.register(person.api, {
      fetch_event_types: ['alert_words'],
    });
    expect(state['alert_words']).toEqual(['a']);
  });

  it('has limits', async () => {
    const tooLong = badRequest('alert_words[0] is too long (limit: 100 characters)');
    expect(await add(['x'.repeat(101)])).toMatchObject(tooLong);
    expect(await add(['x'.repeat(100)])).toMatchObject(success);
    const many = Array.from({ length: 1000 }, (_, index) => `word ${index}`);
    expect(await add(many)).toMatchObject({ status: 400, body: { code: 'LIMIT_REACHED' } });
    expect(await list()).toHaveLength(1);
    expect(await add(many.slice(1))).toMatchObject(success);
  });

  it('keeps all words of concurrent requests', async () => {
    await Promise.all(['a', 'b', 'c', 'a', 'b'].map((word) => add([word])));
    expect(await list()).toEqual(['a', 'b', 'c']);
  });
});

describe('Messages with an alert word', () => {
  const flagsOf = async (reader: Person, id: unknown) => {
    const { body } = await reader.api.get(`/messages/${String(id)}`);
    return (body['message'] as { flags: string[] }).flags;
  };

  it('have the flag, in the event and when they are fetched', async () => {
    await add(['lunch time']);
    const third = await organisation.addPerson();
    await add(['cake'], third);
    const client = await EventClient.register(person.api, { event_types: ['message'] });
    const to = [person.id, third.id];
    const send = async (content: string) =>
      (await sender.api.post('/messages', { type: 'direct', to, content })).body['id'];
    const [alerted, plain] = [await send('LUNCH TIME, and cakes'), await send('lunch timer')];
    expect(await client.drain()).toMatchObject([{ flags: ['has_alert_word'] }, { flags: [] }]);
    expect(await flagsOf(person, alerted)).toEqual(['has_alert_word']);
    expect(await flagsOf(third, alerted)).toEqual([]);
    expect(await flagsOf(person, plain)).toEqual([]);
    const narrow = [{ operator: 'is', operand: 'alerted' }];
    const query = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
    const { body } = await person.api.get('/messages', query);
    expect(body['messages']).toMatchObject([{ id: alerted, flags: ['has_alert_word'] }]);
  });

  it('get and lose it when they are edited, with the event of the edit', async () => {
    await add(['lunch']);
    const third = await organisation.addPerson();
    await add(['cake'], third);
    const to = [person.id, third.id];
    const { body } = await sender.api.post('/messages', { type: 'direct', to, content: 'Cake' });
    const clients = [person, third].map(({ api }) =>
      EventClient.register(api, { event_types: ['update_message'] }),
    );
    const [own, other] = await Promise.all(clients);
    const edited = `/messages/${String(body['id'])}`;
    expect(await sender.api.patch(edited, { content: 'Lunch' })).toMatchObject(success);
    expect(await own?.drain()).toMatchObject([{ flags: ['has_alert_word'] }]);
    expect(await other?.drain()).toMatchObject([{ flags: [] }]);
    expect(await flagsOf(person, body['id'])).toEqual(['has_alert_word']);
    expect(await flagsOf(third, body['id'])).toEqual([]);
  });

  it('have it in channels, for subscribers of the same organisation', async () => {
    const { database } = system.database;
    const channel = await database.prisma.channel.create({
      data: {
        realmId: organisation.id,
        name: 'food',
        subscriptions: { create: [person, sender].map(({ id: userId }) => ({ userId })) },
      },
    });
    await add(['soup']);
    await add(['soup'], sender);
    const message = { type: 'channel', to: channel.id, topic: 'today', content: 'Soup?' };
    const { body } = await sender.api.post('/messages', message);
    expect(await flagsOf(person, body['id'])).toEqual(['has_alert_word']);
    expect(await flagsOf(sender, body['id'])).toEqual(['read', 'has_alert_word']);
  });
});
