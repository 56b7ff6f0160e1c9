import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { eventually } from '#test/eventually';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { Phone } from '#test/phone';
import { useSystem } from '#test/use-system';

const system = useSystem({
  environment: {
    // This test is about faults, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
    PUSH_TEST_WAIT_MS: '0',
    PUSH_CONCURRENCY: '8',
    MAX_DEVICES: '200',
  },
});

const ask = (who: Person, cursor: number): Promise<Reply> =>
  who.api.post('/users/me/presence', { status: 'active', last_update_id: cursor });

const cursorOf = ({ body }: Reply): number => Number(body['presence_last_update_id']);

const idsIn = ({ body }: Reply): number[] => Object.keys(body['presences'] ?? {}).map(Number);

describe('A crash of the worker', () => {
  it('loses no notification', async () => {
    const { api } = await (await addOrganisation(system)).addPerson();
    const phones = Array.from({ length: 200 }, () => Phone.android());
    for (const phone of phones) await phone.register(api);
    await system.sandbox.setMode('fcm', { mode: 'slow', delay_ms: 250 });
    const replies = await Promise.all(
      phones.map(({ token }) => api.post('/mobile_push/test_notification', { token })),
    );
    expect(replies.map(({ status }) => status)).toEqual(phones.map(() => 200));

    const shownCount = async () =>
      (await system.sandbox.deliveries()).filter(({ status }) => status === 200).length;
    await eventually(async () => expect(await shownCount()).toBeGreaterThan(20));
    await system.kill('push-worker');
    expect(await shownCount()).toBeLessThan(180);
    await system.start('push-worker');

    await eventually(async () => {
      const shown = await system.sandbox.deliveries();
      const reached = new Set(
        shown.filter(({ status }) => status === 200).map(({ token }) => token),
      );
      expect(phones.filter(({ token }) => !reached.has(token))).toEqual([]);
    }, 90_000);
    // Only notifications in flight at the kill may be shown twice.
    expect(await shownCount()).toBeLessThanOrEqual(phones.length + 8);
  });
});

describe('A loss of all data in Redis', () => {
  it('makes no client miss a change, and moves no cursor back', async () => {
    const people = await (await addOrganisation(system)).addPeople(32);
    const [watcher, ...reporters] = people;
    if (watcher === undefined) throw new Error('There is no watcher.');
    const seen = new Set<number>();
    let cursor = -1;
    const look = async () => {
      const reply = await ask(watcher, cursor);
      expect(reply.status).toBe(200);
      expect(cursorOf(reply)).toBeGreaterThanOrEqual(cursor);
      cursor = cursorOf(reply);
      for (const id of idsIn(reply)) seen.add(id);
    };
    for (const [index, reporter] of reporters.entries()) {
      await Promise.all([look(), ask(reporter, -1)]);
      if (index % 10 === 5) await Promise.all([look(), system.flushRedis(), look()]);
    }
    await eventually(async () => {
      await look();
      expect(reporters.filter(({ id }) => !seen.has(id))).toEqual([]);
    });
  });

  it('keeps the known presence', async () => {
    const [ann, ben] = await (await addOrganisation(system)).addPeople(2);
    if (ann === undefined || ben === undefined) throw new Error('An account is missing.');
    await ask(ann, -1);
    await system.flushRedis();
    await eventually(async () => expect(idsIn(await ask(ben, -1))).toEqual([ann.id, ben.id]));
  });

  it('loses no registered phone', async () => {
    const { api } = await (await addOrganisation(system)).addPerson();
    const phone = await Phone.android().register(api);
    await system.flushRedis();
    const { token } = phone;
    expect(await api.post('/mobile_push/test_notification', { token })).toMatchObject(success);
    await eventually(async () => expect(await system.sandbox.shownOn(token)).toHaveLength(1));
  });

  it('loses no accepted notification', async () => {
    const { api } = await (await addOrganisation(system)).addPerson();
    const phone = await Phone.iphone().register(api);
    await system.kill('push-worker');
    await api.post('/mobile_push/test_notification', { token: phone.token });
    await system.flushRedis();
    await system.start('push-worker');
    await eventually(
      async () => expect(await system.sandbox.shownOn(phone.token)).toHaveLength(1),
      90_000,
    );
  });
});

describe('A crash of presence', () => {
  it('fails no request, and loses no presence', async () => {
    const [ann, ben] = await (await addOrganisation(system)).addPeople(2);
    if (ann === undefined || ben === undefined) throw new Error('An account is missing.');
    await ask(ann, -1);
    const cursor = cursorOf(await ask(ben, -1));
    await system.kill('presence');

    const duringOutage = await ask(ben, cursor);
    expect(duringOutage.status).toBe(200);
    expect(cursorOf(duringOutage)).toBe(cursor);
    const phone = await Phone.android().register(ben.api);
    expect(await phone.remove(ben.api)).toMatchObject({ status: 200 });

    await system.start('presence');
    await eventually(async () => {
      expect(idsIn(await ask(ben, -1))).toEqual([ann.id, ben.id]);
    });
  });
});
