import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readContainersTestConfig } from '#platform/config';
import { eventually } from '#test/eventually';
import { docker, hasEngine, runShell, showProgress } from '../engine.js';
import { containers, lastingContainers, serviceOf } from './containers.js';
import { Installation } from './installation.js';
import { Load } from './load.js';

jest.setTimeout(1_800_000);

/** Less than during an upgrade: the machine also recovers. */
const REQUESTS_PER_SECOND = 5;
const RECOVERY_MS = 180_000;
const SERVICES = [
  'api-gateway',
  'presence',
  'push-worker-sandbox',
  'push-sandbox',
  'postgres',
  'redis',
  'proxy',
];
/** Enough for each of them in these tests, and less than the programs need under their largest load. */
const LITTLE_MEMORY = '250m';

const { engineRestart } = readContainersTestConfig();
if (engineRestart === undefined) {
  process.stderr.write('Skipped: without CONTAINERS_ENGINE_RESTART the engine is not restarted.\n');
}

(hasEngine() ? describe : describe.skip)('After a failure nothing is lost', () => {
  let installation: Installation;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation?.remove());

  const only = async (service: string) => {
    const [one] = await containers(service);
    if (one === undefined) throw new Error(`There is no container of ${service}`);
    return one;
  };

  const untilHealthy = () =>
    eventually(async () => {
      const unhealthy = (await lastingContainers())
        .filter(({ State }) => State.Health?.Status !== 'healthy')
        .map(serviceOf);
      expect(unhealthy).toEqual([]);
    }, RECOVERY_MS);

  /** Lets something fail under load. Requests may fail, but each confirmed message must arrive once. */
  async function underLoad(
    title: string,
    failure: () => Promise<unknown>,
    failing = '',
  ): Promise<void> {
    const load = await Load.start(installation, REQUESTS_PER_SECOND);
    try {
      await failure();
      await untilHealthy();
      if (failing === 'push-sandbox') load.phonesWereLost();
    } finally {
      await load.end();
      process.stderr.write(`    ${title}: ${load.summary}\n`);
    }
    // A connection that a gateway or the proxy had when it was killed breaks.
    const unexpected = load.failures.filter((text) => !/503|502|ECONN|socket hang up/.test(text));
    expect(unexpected).toEqual([]);
  }

  /** Kills the process that the program which starts it watches; without one, the first process of the container. */
  const killMain = ({ Id }: { readonly Id: string }) =>
    runShell(`pid=$(docker inspect --format '{{.State.Pid}}' ${Id}); child=$(cat /proc/$pid/task/$pid/children 2>/dev/null || :)
      [ "$(cat /proc/$pid/comm)" = docker-init ] && kill -9 $child || kill -9 $pid`);

  it.each(SERVICES)('starts %s again that was killed', async (service) => {
    const before = await only(service);
    await underLoad(
      `SIGKILL of ${service}`,
      async () => {
        await killMain(before);
        await eventually(async () => {
          expect((await only(service)).RestartCount).toBe(before.RestartCount + 1);
        }, RECOVERY_MS);
      },
      service,
    );
  });

  /** Uses up the memory of a container, whose main process the kernel then ends. */
  const useUpMemory = ({ Id }: { readonly Id: string }) =>
    runShell(`docker update --memory ${LITTLE_MEMORY} --memory-swap ${LITTLE_MEMORY} ${Id}
      docker exec ${Id} sh -c '
        main=$(cut -d " " -f 1 /proc/1/task/1/children)
        grep -q init /proc/1/comm || main=1
        echo 1000 > /proc/$main/oom_score_adj
        tail /dev/zero' || :`);

  it.each(SERVICES)(
    'starts %s again whose memory is used up, and says why it ended',
    async (service) => {
      const before = await only(service);
      const since = Math.floor(Date.now() / 1000);
      await underLoad(
        `${service} without memory`,
        async () => {
          await useUpMemory(before);
          await eventually(async () => {
            expect((await only(service)).RestartCount).toBe(before.RestartCount + 1);
          }, RECOVERY_MS);
        },
        service,
      );
      const events = `docker events --since ${since} --until 0s --filter container=${before.Id}`;
      expect(await runShell(`${events} --filter event=oom --filter event=die`)).toMatch(/oom|137/);
      const log = await runShell(`docker logs --since ${since} ${before.Id} 2>&1`);
      const reasons = [
        log.includes("Main child exited with signal (with signal 'Killed')"),
        log.includes('The container has 250 MiB of memory'),
      ];
      const isProgram =
        before.HostConfig.Memory > 0 && before.Config.Env.includes('TINI_VERBOSITY=2');
      const warns = ['api-gateway', 'push-worker-sandbox'].includes(service);
      expect(reasons).toEqual([isProgram, warns]);
      const memory = String(before.HostConfig.Memory);
      await docker('update', '--memory', memory, '--memory-swap', memory, before.Id);
    },
  );

  it.each(['postgres', 'redis', 'proxy'])('serves again after a restart of %s', async (service) => {
    await underLoad(`restart of ${service}`, () => installation.compose(`restart ${service}`));
    expect(await installation.visitor.get('/server_settings')).toMatchObject({ status: 200 });
  });

  it('serves again after everything was stopped at once', async () => {
    await installation.compose('kill', 'SIGKILL of everything');
    await installation.run(installation.documented('--profile sandbox'), 'The start');
    await underLoad('afterwards', async () => undefined);
    expect(await installation.visitor.get('/server_settings')).toMatchObject({ status: 200 });
  });

  (engineRestart === undefined ? it.skip : it)(
    'comes back by itself after a restart of the engine',
    async () => {
      const before = await lastingContainers();
      // The sandbox, too, starts again.
      const failing = 'push-sandbox';
      const restart = async () => {
        await runShell(engineRestart ?? '', { title: 'The engine' });
        for (const { Id, State } of before) {
          await eventually(async () => {
            const after = (await lastingContainers()).find((one) => one.Id === Id);
            // It has really ended.
            expect(after?.State).toMatchObject({ Status: 'running' });
            expect(after?.State.StartedAt).not.toBe(State.StartedAt);
          }, RECOVERY_MS);
        }
      };
      await underLoad('restart of the engine', restart, failing);
      expect(await installation.visitor.get('/server_settings')).toMatchObject({ status: 200 });
    },
  );

  it('keeps everything when it is removed and started again', async () => {
    const ada = await installation.addPerson('Ada');
    const sent = await ada.api.post('/messages', { type: 'direct', to: [ada.id], content: 'Kept' });
    await installation.compose('down', 'down');
    await installation.run(installation.documented('--profile sandbox'), 'up');
    const path = `/messages/${String(sent.body['id'])}`;
    expect(await ada.api.get(path)).toMatchObject({ body: { raw_content: 'Kept' } });
  });
});
