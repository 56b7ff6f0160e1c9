import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let bot: Person;
let other: Person;

beforeEach(async () => {
  const organisation = await addOrganisation(system);
  const owner = await organisation.addPerson();
  const traits = { isBot: true, botOwnerId: owner.id };
  [bot, other] = [await organisation.addPerson(traits), await organisation.addPerson(traits)];
});

const put = (storage: unknown, by = bot) => {
  const body = new URLSearchParams({ storage: JSON.stringify(storage) }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return by.api.send('PUT', '/bot_storage', { headers, body });
};
const read = async (by = bot, query = {}) => (await by.api.get('/bot_storage', query)).body;
const missing = badRequest('Key does not exist.');

describe('/bot_storage', () => {
  it('is for bots only', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    const refused = badRequest('This endpoint only accepts bot requests.');
    expect(await person.api.get('/bot_storage')).toMatchObject(refused);
    expect(await put({ a: '1' }, person)).toMatchObject(refused);
    expect(await person.api.delete('/bot_storage')).toMatchObject(refused);
  });

  it('keeps the texts of each bot apart', async () => {
    expect(await put({ a: '1', b: '' })).toMatchObject(success);
    expect(await put({ a: '2', __proto__x: 'y' })).toMatchObject(success);
    expect(await put({ a: 'other' }, other)).toMatchObject(success);
    expect(await read()).toEqual({
      ...success.body,
      storage: { a: '2', b: '', __proto__x: 'y' },
    });
    expect(await read(bot, { keys: ['a'] })).toMatchObject({ storage: { a: '2' } });
    expect(await read(bot, { keys: ['a', 'c'] })).toMatchObject(missing.body);
  });

  it('deletes some or all', async () => {
    await put({ a: '1', b: '2', c: '3' });
    expect(await bot.api.delete('/bot_storage', { keys: ['a', 'x'] })).toMatchObject(missing);
    expect(await bot.api.delete('/bot_storage', { keys: ['a', 'a'] })).toMatchObject(success);
    expect(await read()).toMatchObject({ storage: { b: '2', c: '3' } });
    expect(await bot.api.delete('/bot_storage')).toMatchObject(success);
    expect(await read()).toMatchObject({ storage: {} });
    expect(await bot.api.delete('/bot_storage')).toMatchObject(success);
  });

  it('takes keys with an unpaired surrogate as keys with the replacement character', async () => {
    expect(await put({ '\u{d800}': 'a', '\u{d801}': 'b', c: '\u{dc00}' })).toMatchObject(success);
    expect(await read()).toMatchObject({ storage: { '\u{fffd}': 'b', c: '\u{fffd}' } });
    for (const key of ['\u{d800}', '\u{fffd}']) {
      expect(await read(bot, { keys: [key] })).toMatchObject({ storage: { '\u{fffd}': 'b' } });
    }
    const keys = ['\u{d800}', '\u{d801}', '\u{fffd}'];
    expect(await bot.api.delete('/bot_storage', { keys })).toMatchObject(success);
    expect(await read()).toMatchObject({ storage: { c: '\u{fffd}' } });
  });

  it('has limits', async () => {
    expect(await put({ ['k'.repeat(256)]: 'v' })).toMatchObject({ status: 400 });
    expect(await put({ k: 5 })).toMatchObject({ status: 400 });
    const value = 'x'.repeat(999_995);
    for (let index = 0; index < 9; index += 1) await put({ [index]: value });
    // With the quotes of JSON and the key, which has one character more.
    const full = 'Cannot set state. Request would require 10000001 bytes storage.';
    const reply = await put({ '10': value });
    expect(reply).toMatchObject({ status: 400, body: { msg: expect.stringContaining(full) } });
    expect(Object.keys((await read())['storage'] as object)).toHaveLength(9);
  });

  it('stores all of concurrent requests, and deletes once', async () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({ [`k${index}`]: 'v', shared: 'v' }));
    const replies = await Promise.all(entries.map((entry) => put(entry)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Object.keys((await read())['storage'] as object)).toHaveLength(6);
    const deletions = await Promise.all(
      entries.map(() => bot.api.delete('/bot_storage', { keys: ['shared'] })),
    );
    expect(deletions.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
  });
});
