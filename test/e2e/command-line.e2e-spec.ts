import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { childEnvironment } from '#platform/config';
import { Phone } from '#test/phone';
import { useSystem } from '#test/use-system';

const system = useSystem();

/** Runs `carillon` like `npx carillon`, on the system of this test. */
function carillon(
  ...args: string[]
): Promise<{ exitCode: number; output: string; remarks: string }> {
  const { database_url: DATABASE_URL, redis_url: REDIS_URL } = system.demo.services;
  const env = childEnvironment({ DATABASE_URL, REDIS_URL, EXTERNAL_URL: system.gatewayUrl });
  return new Promise((resolve) => {
    const program = ['deploy/local/carillon.mjs', ...args];
    const child = execFile(process.execPath, program, { env }, (_, output, remarks) => {
      resolve({ exitCode: child.exitCode ?? -1, output, remarks });
    });
  });
}

describe('The command line', () => {
  it('sends a test notification and reports its delivery', async () => {
    const { user_id: userId, email } = system.user('alice');
    const phone = await Phone.android().register(system.api('alice'));
    const { exitCode, output } = await carillon('push', 'test', email, '--wait', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      user: { id: userId },
      notification: { states: { delivered: 1 } },
    });
    expect(output).not.toContain(phone.token);
  });

  it('pauses and resumes a platform for all workers', async () => {
    const { user_id: userId } = system.user('bob');
    await Phone.android().register(system.api('bob'));
    expect((await carillon('push', 'pause', 'fcm')).exitCode).toBe(0);
    const held = await carillon('push', 'test', String(userId), '--wait', '--timeout', '2');
    expect(held).toMatchObject({ exitCode: 1, output: expect.stringContaining('1 pending') });
    const status = await carillon('push', 'status');
    expect(status.output).toContain('- Google (FCM) is paused.');
    expect((await carillon('push', 'resume', 'fcm')).exitCode).toBe(0);
    const sent = await carillon('push', 'test', String(userId), '--wait', '--json');
    expect(JSON.parse(sent.output)).toMatchObject({ notification: { states: { delivered: 1 } } });
  });

  it('prints usage errors on standard error, and exits with 2', async () => {
    const { exitCode, output, remarks } = await carillon('push', 'pause', 'wns');
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(remarks).toContain('apns, fcm, web');
  });
});
