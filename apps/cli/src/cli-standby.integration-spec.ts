import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { PostgresPair } from '#test/postgres-pair';
import { OperatedWorld } from '#test/push-operate-world';
import { RecordingTerminal } from '#test/recording-terminal';
import { testRedisUrl } from '#test/test-stores';
import { useFixture } from '#test/use-fixture';
import { runCommandLine } from './run-command-line.js';

const pair = useFixture(() => PostgresPair.start());
const world = useFixture(() => OperatedWorld.start(pair.open()));

/** Runs a command with the address of the standby. */
async function onStandby(...args: string[]) {
  const terminal = new RecordingTerminal();
  const environment = {
    DATABASE_URL: pair.standbyUrl,
    REDIS_URL: testRedisUrl(),
    API_KEY_SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
  const settings = { environment, queuePrefix: world.prefix };
  const exitCode = await runCommandLine([...args, '--json'], terminal, settings);
  return { exitCode, answer: JSON.parse(terminal.output || terminal.remarks) };
}

describe('the command line on a standby of PostgreSQL', () => {
  it('reads what was committed on the primary', async () => {
    const { id } = await world.addPerson('ada@example.org');
    const device = await world.addDevice(id);
    const notification = await world.addNotification(id);
    await world.addDelivery(notification, device, { state: 'delivered' });
    // The standby has stored each commit, and shows it a moment later.
    await eventually(async () => {
      expect(await onStandby('push', 'history', '--user', 'ada@example.org')).toMatchObject({
        exitCode: 0,
        answer: { notifications: [{ id: notification, states: { delivered: 1 } }] },
      });
    });
    expect(
      await onStandby('push', 'explain', '--message', '1', '--user', String(id)),
    ).toMatchObject({ exitCode: 0, answer: { reason: 'no_message' } });
    expect(await onStandby('devices', 'list', 'ada@example.org')).toMatchObject({
      exitCode: 0,
      answer: { devices: [{ id: device.id }] },
    });
  });

  it('says so where it would have to write', async () => {
    const { exitCode, answer } = await onStandby('organisation', 'create', 'new', '--name', 'New');
    expect(exitCode).toBe(1);
    expect(answer).toMatchObject({ error: { message: expect.stringContaining('read-only') } });
    const { exitCode: statusCode, answer: status } = await onStandby('push', 'status');
    expect(statusCode).toBe(1);
    expect(status.alerts).toContainEqual(
      expect.objectContaining({ severity: 'alarm', text: 'PostgreSQL refuses writes.' }),
    );
    const { answer: found } = await onStandby('doctor');
    expect(found.findings).toContainEqual(
      expect.objectContaining({ part: 'PostgreSQL', text: 'It is a standby and refuses writes.' }),
    );
  });
});
