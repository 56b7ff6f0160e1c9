import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

const device = 'cXJz:APA91b-phone_with_a_screen';
const LONG_MS = 60_000;

const screens = z.object({
  screens: z.array(z.looseObject({ messages: z.array(z.looseObject({ message_id: z.string() })) })),
});

describe('push sandbox: the screens of phones', () => {
  const sut = useFixture(() => SandboxUnderTest.start());
  let accessToken: string;
  let appleJwt: string;

  beforeAll(async () => {
    accessToken = await sut.accessToken();
    appleJwt = await sut.providerToken();
  });
  beforeEach(async () => {
    await sut.reset();
    await sut.control('DELETE', `/api/tokens/${device}`);
  });

  const script = (orders: object) =>
    sut.control('PUT', `/api/tokens/${device}`, { platform: 'fcm', ...orders });
  const send = (id: number, android: object = {}) =>
    sut.message(accessToken, {
      token: device,
      data: { event: 'message', zulip_message_id: String(id) },
      android,
    });
  const sendUnanswered = (id: number) =>
    send(id).then(
      () => 'answered',
      () => 'dropped',
    );
  const shown = async () => {
    const { json } = await sut.control('GET', `/api/screens/${device}`);
    return screens
      .parse(json)
      .screens.flatMap(({ messages }) => messages.map(({ message_id: id }) => id));
  };
  const results = async () =>
    (await sut.deliveries()).map(({ status, shown: isShown, expired }) => [
      status,
      isShown,
      expired,
    ]);
  const untilRecorded = async (count: number) => {
    while ((await sut.deliveries()).length < count);
  };

  it('lists the screens of all phones', async () => {
    await send(1);
    const session = await sut.connectToApple(appleJwt);
    await sut.notify(session, appleJwt, { 'apns-collapse-id': 'a' });
    const { json } = await sut.control('GET', '/api/screens');
    expect(json).toMatchObject({
      screens: [
        { platform: 'fcm', token: device, messages: [{ message_id: '1', copies: 1 }] },
        { platform: 'apns', notifications: [{ title: 'Hello' }, { title: 'Hello' }] },
      ],
    });
  });

  it('shows a push that was answered with an error', async () => {
    await script({ reason: 'UNAVAILABLE', shown: true, times: 1 });
    expect((await send(1)).status).toBe(503);
    expect(await shown()).toEqual(['1']);
    expect(await results()).toEqual([[503, true, false]]);
  });

  it('does not show a push that was refused, nor one that was accepted and lost', async () => {
    await script({ reason: 'UNAVAILABLE', times: 1 });
    expect((await send(1)).status).toBe(503);
    await script({ shown: false, times: 1 });
    expect((await send(2)).status).toBe(200);
    expect(await shown()).toEqual([]);
    expect(await results()).toEqual([
      [503, false, false],
      [200, false, false],
    ]);
  });

  it('shows a push whose connection ends instead of an answer, unless the script says otherwise', async () => {
    await script({ no_answer: 'reset', times: 1 });
    expect(await sendUnanswered(1)).toBe('dropped');
    await script({ no_answer: 'reset', shown: false, times: 1 });
    expect(await sendUnanswered(2)).toBe('dropped');
    expect(await shown()).toEqual(['1']);
    expect(await results()).toEqual([
      [null, true, false],
      [null, false, false],
    ]);
  });

  it('shows a push that is never answered, and one that is answered late, at once', async () => {
    await script({ no_answer: 'hang', times: 1 });
    const unanswered = sendUnanswered(1);
    await untilRecorded(1);
    await script({ delay_ms: LONG_MS, times: 1 });
    const late = sendUnanswered(2);
    await untilRecorded(2);
    expect(await shown()).toEqual(['1', '2']);
    await sut.control('PUT', '/api/platforms/fcm', { mode: 'down' });
    expect(await Promise.all([unanswered, late])).toEqual(['dropped', 'dropped']);
  });

  it('does not show a push whose time to live ends before the phone is on', async () => {
    await script({ phone_off_seconds: 3600 });
    await send(1, { ttl: '3599s' });
    await send(2, { ttl: '3601s' });
    await send(3);
    expect(await shown()).toEqual(['2', '3']);
    expect(await results()).toEqual([
      [200, false, true],
      [200, true, false],
      [200, true, false],
    ]);
  });

  it("compares the expiration of Apple's pushes with the time that the phone is off", async () => {
    const token = 'c3'.repeat(32);
    const session = await sut.connectToApple(appleJwt);
    const off = { platform: 'apns', phone_off_seconds: 3600 };
    await sut.control('PUT', `/api/tokens/${token}`, off);
    const inAnHour = Math.ceil(Date.now() / 1000) + 3700;
    for (const expiration of ['0', String(inAnHour)]) {
      await sut.notify(session, appleJwt, { 'apns-expiration': expiration }, token);
    }
    await sut.notify(session, appleJwt, {}, token);
    const kept = await sut.deliveries(`?token=${token}`);
    expect(kept.map(({ shown: isShown }) => isShown)).toEqual([false, true, true]);
  });

  it.each([
    [undefined, []],
    [true, ['1']],
  ])('in the mode reset shows what the mode says: %s', async (isShown, expected) => {
    await sut.control('PUT', '/api/platforms/fcm', { mode: 'reset', shown: isShown });
    expect(await sendUnanswered(1)).toBe('dropped');
    expect(await shown()).toEqual(expected);
  });
});
