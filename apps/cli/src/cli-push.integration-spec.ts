import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DeliveryState } from '#push/jobs';
import { runCommandLine } from './run-command-line.js';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { notified } from '#test/push-ledger';
import { RecordingTerminal } from '#test/recording-terminal';
import { testRedisUrl } from '#test/test-stores';
import { addAda, CommandLine } from './cli-command-line.fixture.js';
import { useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';

const world = useOperatedWorld();
const sut = new CommandLine(world);
const ada = useFixture(() => addAda(world));

describe('carillon push test', () => {
  /** Acts as the worker: records this outcome for the next pending deliveries of a user. */
  const endNext = (userId: number, state: DeliveryState) =>
    eventually(async () => {
      const { prisma } = world.database;
      const { count } = await prisma.pushDelivery.updateMany({
        where: { ...(await notified(prisma, userId)), state: 'pending' },
        data: { state, attempts: 1 },
      });
      expect(count).toBeGreaterThan(0);
    });

  it('resolves when the test is accepted', async () => {
    const sent = await sut.json(`push test ${ada.id} --device ${ada.phone.id}`);
    expect(sent).toEqual({ user: ada.json, notification_id: expect.any(String), devices: 1 });
  });

  it('waits for the outcome', async () => {
    const { id } = await world.addPerson();
    const device = await world.addDevice(id);
    const [{ exitCode, output, remarks }] = await Promise.all([
      sut.run(`push test ${id} --wait --json`),
      endNext(id, 'delivered'),
    ]);
    expect(exitCode).toBe(0);
    expect(remarks).toBe('');
    expect(JSON.parse(output)).toMatchObject({
      devices: 1,
      notification: {
        kind: 'test',
        states: { delivered: 1 },
        deliveries: [{ device_id: device.id, state: 'delivered', attempts: 1 }],
      },
    });
  });

  it('fails if a device was not reached', async () => {
    const { id } = await world.addPerson();
    await world.addDevice(id);
    const [{ exitCode, output, remarks }] = await Promise.all([
      sut.run(`push test ${id} --wait`),
      endNext(id, 'dead_token'),
    ]);
    expect(exitCode).toBe(1);
    expect(remarks).toContain('Sent to 1 device');
    expect(output).toContain('1 dead_token');
  });

  it('fails after the timeout and suggests a cause', async () => {
    const { id } = await world.addPerson();
    await world.addDevice(id);
    const { exitCode, output } = await sut.run(`push test ${id} --wait --timeout 1`);
    expect(exitCode).toBe(1);
    expect(output).toContain('carillon push status');
  });

  it('reports a user without a phone', async () => {
    const { id } = await world.addPerson();
    expect(await sut.failure(`push test ${id}`)).toMatchObject({ code: 'no_device' });
    expect(await sut.failure(`push test ${id} --device ${ada.phone.id}`)).toMatchObject({
      code: 'no_device',
    });
  });
});

describe('carillon push explain', () => {
  it('names the rule that prevented the notification of a message', async () => {
    const { id: senderId } = await world.addPerson();
    const { id: messageId } = await addDirectMessage(senderId, [ada.id]);
    await world.database.prisma.user.update({
      where: { id: ada.id },
      data: { isPushEnabled: false },
    });
    const explain = `push explain --message ${messageId} --user ada@example.org`;
    expect(await sut.json(explain)).toMatchObject({
      message_id: messageId,
      user: ada.json,
      reason: 'not_wanted',
      notifications: [],
    });
    const { exitCode, output } = await sut.run(explain);
    expect(exitCode).toBe(0);
    expect(output).toContain('Not notified: notifications of direct messages are off');
    expect(output).toContain('wanted by the settings');
  });

  it('shows the notification', async () => {
    const { id: userId } = await world.addPerson();
    const { id: messageId } = await addDirectMessage(ada.id, [userId]);
    const content = { kind: 'message', messageId, trigger: 'direct' };
    const id = await world.addNotification(userId, { kind: 'message', content });
    await world.addDelivery(id, await world.addDevice(userId), { state: 'delivered' });
    const explain = `push explain --message ${messageId} --user ${userId}`;
    expect(await sut.json(explain)).toMatchObject({
      reason: 'notified',
      text: 'Notified: 1 delivered.',
      notifications: [{ id, message_ids: [messageId] }],
    });
    expect((await sut.run(explain)).output).toContain(`message of message ${messageId} for user`);
  });

  it.each(['--message 5', '--user 5', '--message x --user 5'])('refuses %s', async (words) => {
    expect((await sut.run(`push explain ${words}`)).exitCode).toBe(2);
  });

  async function addDirectMessage(senderId: number, recipientIds: readonly number[]) {
    const { prisma } = world.database;
    const { realmId } = await prisma.user.findUniqueOrThrow({ where: { id: senderId } });
    const { id: conversationId } = await prisma.directConversation.create({
      data: { realmId, key: randomUUID() },
    });
    const message = await prisma.message.create({
      data: { realmId, senderId, conversationId, content: 'Soup?' },
    });
    const messageId = message.id;
    await prisma.userMessage.createMany({
      data: recipientIds.map((userId) => ({ userId, messageId })),
    });
    return { id: Number(messageId) };
  }
});

describe('carillon push history', () => {
  it('shows the history by id, user, device and fingerprint', async () => {
    const { id: userId, email } = await world.addPerson();
    const device = await world.addDevice(userId);
    const id = await world.addNotification(userId, {
      acceptedAt: new Date('2030-01-01T00:00:00Z'),
      expiresAt: new Date('2030-01-01T01:00:00Z'),
    });
    await world.addDelivery(id, device, {
      attempts: 1,
      reason: 'UNAVAILABLE',
      dueAt: new Date('2030-01-01T00:00:11Z'),
      history: [
        { at: '2030-01-01T00:00:01.000Z', reason: 'UNAVAILABLE', next: '2030-01-01T00:00:11.000Z' },
      ],
    });
    const expected = {
      notifications: [
        {
          id,
          kind: 'test',
          user_id: userId,
          message_ids: [],
          accepted_at: '2030-01-01T00:00:00.000Z',
          expires_at: '2030-01-01T01:00:00.000Z',
          receipts: [],
          states: { pending: 1 },
          deliveries: [
            {
              device_id: device.id,
              platform: 'fcm',
              app_id: null,
              fingerprint: device.fingerprint,
              state: 'pending',
              attempts: 1,
              reason: 'UNAVAILABLE',
              due_at: '2030-01-01T00:00:11.000Z',
              ended_at: null,
              history: [
                {
                  at: '2030-01-01T00:00:01.000Z',
                  reason: 'UNAVAILABLE',
                  next: '2030-01-01T00:00:11.000Z',
                },
              ],
            },
          ],
        },
      ],
    };
    const ways = [
      `--id ${id}`,
      `--user ${email}`,
      `--device ${device.id}`,
      `--fingerprint ${device.fingerprint.toUpperCase()}`,
    ];
    for (const way of ways) expect(await sut.json(`push history ${way}`)).toEqual(expected);
    const { output } = await sut.run(`push history --id ${id}`);
    expect(output).toContain('1 pending');
    expect(output).toContain('due 2030-01-01 00:00:11');
  });

  it('reports an empty history', async () => {
    const { id } = await world.addPerson();
    expect(await sut.json(`push history --user ${id}`)).toEqual({ notifications: [] });
    expect(await sut.failure(`push history --id ${randomUUID()}`)).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('carillon push status, pause and resume', () => {
  it('shows paused platforms and the missing worker', async () => {
    expect(await sut.json('push pause Apple')).toEqual({ platform: 'apns', is_paused: true });
    const { exitCode, output, remarks } = await sut.run('push status --json');
    // The command has output, but reports an alarm.
    expect({ exitCode, remarks }).toEqual({ exitCode: 1, remarks: '' });
    const status: unknown = JSON.parse(output);
    expect(status).toMatchObject({
      is_healthy: false,
      workers: [],
      alerts: [
        { severity: 'alarm', text: 'No worker sends to Apple (APNs).' },
        { severity: 'alarm', text: 'No worker sends to Google (FCM).' },
        { severity: 'alarm', text: 'No worker sends to Web Push.' },
        { severity: 'notice', text: 'Apple (APNs) is paused.' },
      ],
      pending: expect.any(Array),
    });
    expect(status).toMatchObject({
      queues: expect.arrayContaining([
        expect.objectContaining({ name: 'push-fcm', is_paused: false }),
      ]),
    });
    expect(await sut.json('push resume apns')).toEqual({ platform: 'apns', is_paused: false });
    expect((await sut.run('push status')).output).toMatch(/push-apns +│ no /);
  });
});

describe('carillon push status without PostgreSQL', () => {
  it('prints the status and exits with 1', async () => {
    const terminal = new RecordingTerminal();
    const [port] = await freePorts(1);
    const exitCode = await runCommandLine(['push', 'status'], terminal, {
      environment: {
        DATABASE_URL: `postgresql://u:p@127.0.0.1:${port}/d`,
        REDIS_URL: testRedisUrl(),
      },
      queuePrefix: world.prefix,
    });
    expect(terminal.output).toContain('! PostgreSQL does not answer.');
    expect(exitCode).toBe(1);
  });
});

describe('carillon dead-letters', () => {
  it('lists, requeues and dismisses dead letters', async () => {
    const first = await world.addDeadLetter(ada.phone, 'BadTopic');
    const second = await world.addDeadLetter(ada.phone, 'PayloadTooLarge');
    const third = await world.addDeadLetter(ada.phone, 'PayloadTooLarge');
    expect(await sut.json('dead-letters list --reason BadTopic')).toEqual({
      counts: [{ reason: 'BadTopic', platform: 'apns', letters: 1, oldest_at: expect.any(String) }],
      letters: [
        {
          id: `${first}/${ada.phone.id}`,
          notification_id: first,
          device_id: ada.phone.id,
          user_id: ada.id,
          platform: 'apns',
          kind: 'test',
          reason: 'BadTopic',
          fingerprint: ada.phone.fingerprint,
          created_at: expect.any(String),
          payload: { aps: { alert: 17 } },
        },
      ],
    });
    expect((await sut.run('dead-letters list')).output).toContain(`${third}/${ada.phone.id}`);
    expect(await sut.json(`dead-letters requeue ${first}/${ada.phone.id}`)).toEqual({
      requeued: 1,
    });
    expect(await sut.json(`dead-letters dismiss ${second} --yes`)).toEqual({ dismissed: 1 });
    expect(await sut.json('dead-letters requeue --all')).toEqual({ requeued: 1 });
    expect((await sut.run('dead-letters list')).output).toBe('No dead letters.');
    expect(await sut.failure(`dead-letters requeue ${first}`)).toMatchObject({ code: 'not_found' });
    expect(await sut.json('dead-letters dismiss --all --yes')).toEqual({ dismissed: 0 });
  });
});
