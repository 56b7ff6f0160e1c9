import { beforeAll, describe, expect, it } from '@jest/globals';
import { FakePushService } from '#test/fake-push-service';
import { RecordingTerminal } from '#test/recording-terminal';
import { testRedisUrl } from '#test/test-stores';
import { useFixture } from '#test/use-fixture';
import { runCommandLine } from './run-command-line.js';

const service = useFixture(() => FakePushService.start());

beforeAll(async () => {
  service.fault = ({ path, fields }) => ({
    kind: 'answer',
    status: 200,
    body: JSON.stringify({
      result: 'success',
      ...(path.endsWith('transfer')
        ? { verification_secret: 'AB' }
        : path.endsWith('verify_challenge')
          ? { zulip_org_id: service.orgId, zulip_org_key: service.orgKey }
          : { created: fields['zulip_org_id'] !== service.orgId }),
    }),
  });
});

async function run(args: string, variables: Readonly<Record<string, string>> = {}) {
  const terminal = new RecordingTerminal();
  const exitCode = await runCommandLine(args.split(' '), terminal, {
    environment: {
      PUSH_SERVICE_URL: service.url,
      DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere',
      REDIS_URL: testRedisUrl(),
      ...variables,
    },
  });
  return { exitCode, output: terminal.output, remarks: terminal.remarks };
}

const register = 'push-service register chat.example.org ada@example.org';

describe('carillon push-service', () => {
  it('registers this server with a new id and key, and shows them', async () => {
    const { exitCode, output } = await run(`${register} --json`);
    const { org_id, org_key } = JSON.parse(output) as Readonly<Record<string, string>>;
    expect(exitCode).toBe(0);
    expect(service.of('/server/register').at(-1)?.fields).toMatchObject({
      zulip_org_id: org_id,
      zulip_org_key: org_key,
      hostname: 'chat.example.org',
    });
    expect((await run(register)).output).toMatch(/\nPUSH_SERVICE_ORG_KEY=[\da-f]{64}$/);
  });

  it('changes the registration of this server, and does not show its key', async () => {
    const { orgId, orgKey } = service;
    const { exitCode, output } = await run(register, {
      PUSH_SERVICE_ORG_ID: orgId,
      PUSH_SERVICE_ORG_KEY: orgKey,
    });
    expect({ exitCode, hasKey: output.includes(orgKey) }).toEqual({ exitCode: 0, hasKey: false });
    expect(service.of('/server/register').at(-1)?.fields).toMatchObject({ zulip_org_id: orgId });
  });

  it('transfers the registration of a host', async () => {
    const { exitCode, output } = await run('push-service transfer chat.example.org');
    expect(exitCode).toBe(0);
    expect(output).toContain(`PUSH_SERVICE_ORG_KEY=${service.orgKey}`);
  });

  it('says what is missing', async () => {
    const without = await run(register, { PUSH_SERVICE_URL: '' });
    expect(without).toMatchObject({ exitCode: 1 });
    expect(without.remarks).toContain('PUSH_SERVICE_URL is not set');
    const half = await run(register, { PUSH_SERVICE_ORG_ID: service.orgId });
    expect(half.remarks).toContain('PUSH_SERVICE_ORG_KEY is not set');
    const lost = await run('push-service transfer a.test', { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(lost.remarks).toContain('Redis at 127.0.0.1:1 cannot be used: ');
    const url = new URL(testRedisUrl());
    url.username = 'carillon';
    url.password = 'geheim';
    const refused = await run('push-service transfer a.test', { REDIS_URL: url.href });
    expect(refused.remarks).toMatch(/cannot be used: WRONGPASS/);
    expect(refused.remarks).not.toContain('geheim');
  });
});
