import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readContainersTestConfig } from '#platform/config';
import { eventually } from '#test/eventually';
import { docker, hasEngine, runShell, showProgress } from '../engine.js';
import { containers } from './containers.js';
import { Installation } from './installation.js';
import { Load } from './load.js';

jest.setTimeout(1_800_000);

const { requestsPerSecond } = readContainersTestConfig();
const NEXT = 'next-release';
const MIGRATION = '20991231000000_next_release';
/** Three failed checks of ten seconds, on a busy machine. */
const UNHEALTHY_MS = 120_000;
const HEADING = 'Upgrades with Compose';

(hasEngine() ? describe : describe.skip)('Under load, without a failed request', () => {
  let installation: Installation;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation?.remove());

  /** Does something under load. Each message must arrive once, and no request may fail. */
  async function underLoad(title: string, work: () => Promise<unknown>): Promise<void> {
    const load = await Load.start(installation, requestsPerSecond);
    const [worked] = await Promise.allSettled([work()]);
    const [ended] = await Promise.allSettled([load.end()]);
    process.stderr.write(`    ${title}: ${load.summary}\n`);
    for (const one of [worked, ended]) if (one.status === 'rejected') throw one.reason;
    expect(load.failures).toEqual([]);
    // A reload takes less than a second.
    expect(load.answered).toBeGreaterThan(requestsPerSecond / 4);
  }

  const imageOf = async (service: string) =>
    (await containers(service)).map(({ Config }) => Config.Image);

  const doctor = () => installation.compose('exec -T api-gateway carillon doctor');

  it.each(['api-gateway', 'presence', 'push-worker-sandbox'])('scales %s', async (service) => {
    const scale = (count: number) =>
      installation.compose(`up --detach --wait --no-deps --scale ${service}=${count} ${service}`);
    await underLoad(`${service} to three and back`, async () => {
      await scale(3);
      expect(await containers(service)).toHaveLength(3);
      await scale(1);
    });
  });

  it('upgrades to a release with a migration, and goes back', async () => {
    const [before = ''] = await imageOf('api-gateway');
    await makeNextRelease(before);
    const [, upgrade = ''] = installation.documented('deploy/docker/upgrade', HEADING).split('\n');
    installation.setVariable('VERSION', NEXT);
    await underLoad('upgrade', () => installation.run(upgrade, 'The upgrade'));
    for (const service of ['api-gateway', 'presence', 'push-worker-sandbox']) {
      expect(await imageOf(service)).toEqual([`carillon:${NEXT}`]);
    }
    expect(await eventually(doctor)).toContain('has every migration');
    installation.setVariable('VERSION', before.split(':')[1] ?? '');
    await underLoad('way back', () => installation.run(upgrade, 'The way back'));
    expect(await imageOf('api-gateway')).toEqual([before]);
    await docker('image', 'rm', `carillon:${NEXT}`);
  });

  /** An image of this release with another migration. */
  async function makeNextRelease(image: string): Promise<void> {
    const folder = installation.file('next');
    const sql = 'ALTER TABLE "realms" ADD COLUMN "next_release" TEXT;';
    await runShell(
      `mkdir -p ${folder}/${MIGRATION}
       echo '${sql}' > ${folder}/${MIGRATION}/migration.sql
       printf 'FROM ${image}\\nCOPY ${MIGRATION} prisma/migrations/${MIGRATION}\\n' > ${folder}/Dockerfile
       docker build --quiet --tag carillon:${NEXT} ${folder}`,
      { title: 'The next release' },
    );
  }

  it('replaces the passwords of the stores', async () => {
    const rotate = installation.documented('replace-passwords', 'Rotating other secrets');
    const before = installation.read('secrets/database-url');
    await underLoad('passwords', () => installation.run(rotate, 'The passwords'));
    expect(installation.read('secrets/database-url')).not.toBe(before);
    expect(await eventually(doctor)).toContain('The running programs (3) share them');
    const roles = `psql --username=carillon --tuples-only --command="SELECT rolname FROM pg_roles WHERE rolcanlogin"`;
    expect(await installation.compose(`exec -T postgres ${roles}`)).toMatch(/^\s*carillon\s*$/);
    for (const { State } of await containers('redis')) expect(State.Health?.Status).toBe('healthy');
  });

  it('reloads changed settings of the proxy, and keeps the earlier ones of a file with a fault', async () => {
    const file = installation.file('deploy/docker/haproxy/haproxy.cfg');
    const text = readFileSync(file, 'utf8');
    const [, reload = ''] = /^# {3}(docker compose exec proxy .*)$/m.exec(text) ?? [];
    const command = reload.replace('exec', 'exec -T');
    writeFileSync(
      file,
      text.replace(
        '  default_backend',
        '  http-response set-header X-Reloaded yes\n  default_backend',
      ),
    );
    await underLoad('reload', async () => {
      await installation.run(command);
      await eventually(async () => {
        const { headers } = await installation.visitor.get('/server_settings');
        expect(headers['x-reloaded']).toBe('yes');
      });
    });
    appendFileSync(file, 'nonsense\n');
    await expect(installation.run(command)).rejects.toThrow('nonsense');
    expect((await installation.visitor.get('/server_settings')).headers['x-reloaded']).toBe('yes');
    writeFileSync(file, text);
  });
});

(hasEngine() ? describe : describe.skip)('Programs that are not ready', () => {
  let installation: Installation;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation?.remove());

  it('are replaced by those with the settings that repair them', async () => {
    const right = installation.read('secrets/redis-password');
    const psql = 'exec -T postgres psql --username=carillon';
    const change = `${psql} --command="ALTER ROLE carillon PASSWORD '${right}'"`;
    // The connections that are open would stay.
    await installation.compose(`${change} && docker compose restart postgres`);
    await eventually(async () => {
      const [gateway] = await containers('api-gateway');
      expect(gateway?.State.Health?.Status).toBe('unhealthy');
    }, UNHEALTHY_MS);
    const url = `postgresql://carillon:${right}@postgres:5432/carillon`;
    writeFileSync(installation.file('secrets/database-url'), url);
    const [, upgrade = ''] = installation.documented('deploy/docker/upgrade', HEADING).split('\n');
    await installation.run(upgrade, 'The upgrade');
    expect(await installation.visitor.get('/server_settings')).toMatchObject({ status: 200 });
  });
});
