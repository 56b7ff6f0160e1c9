import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ChaosProgram } from '#test/chaos-program';
import { isLongRun } from '#test/chaos-run';
import { freePorts } from '#test/free-ports';
import { addOrganisation, type Person } from '#test/organisation';
import { startSwitchableProxy, type SwitchableProxy } from '#test/switchable-proxy';
import { useSystem } from '#test/use-system';

jest.setTimeout(1_800_000);

const CHANGES = isLongRun ? 1000 : 40;
/** A killed gateway takes seconds to start again. */
const CHANGES_PER_KILL = 20;

interface ChaosGateway {
  readonly url: string;
  readonly program: ChaosProgram;
}

const system = useSystem({
  programs: ['presence'],
  environment: { RATE_LIMIT_USER: '60:1000000', RATE_LIMIT_ADDRESS: '60:1000000' },
});
let proxy: SwitchableProxy;
let gateways: readonly ChaosGateway[];

beforeAll(async () => {
  system.beforeStop(async () => {
    await Promise.all((gateways ?? []).map(({ program }) => program.stop()));
    await proxy?.stop();
  });
  proxy = await startSwitchableProxy(system.environmentOf('api-gateway')['REDIS_URL'] ?? '');
  const ports = await freePorts(6);
  gateways = [{}, {}, { REDIS_URL: proxy.url }].map((environment, index) => {
    const [port = 0, healthPort = 0] = ports.slice(2 * index);
    const program = new ChaosProgram(system, {
      name: 'api-gateway',
      index,
      healthPort,
      environment: { PORT: String(port), ...environment },
    });
    return { url: `http://127.0.0.1:${port}`, program };
  });
  await Promise.all(gateways.map(({ program }) => program.start()));
});

/** The statuses of a gateway for a report, which has a direct route, and for another request. */
async function statusesAt({ url }: ChaosGateway, person: Person): Promise<number[]> {
  const api = system.api(person, url);
  const replies = await Promise.all([
    api.post('/users/me/presence', { status: 'active', ping_only: true }),
    api.get('/users/me'),
  ]);
  return replies.map(({ status }) => status);
}

/** Replaces the key of a person at a gateway; resolves with the person and the new key. */
async function regenerate({ url }: ChaosGateway, person: Person): Promise<Person> {
  const { status, body } = await system.api(person, url).post('/users/me/api_key/regenerate');
  expect(status).toBe(200);
  const renewed = { ...person, api_key: String(body['api_key']) };
  return { ...renewed, api: system.api(renewed) };
}

/** What happens to another gateway while the first one changes a key. */
const faults: Readonly<Record<string, (victim: ChaosGateway) => () => Promise<void> | void>> = {
  nothing: () => () => undefined,
  hangs: ({ program }) => {
    program.pause();
    return () => program.continue();
  },
  'gets no answers of Redis': () => {
    proxy.stall();
    return () => proxy.resume();
  },
  'loses its connection to Redis': () => {
    proxy.disconnect();
    return () => undefined;
  },
};

describe('A key that was replaced at one gateway', () => {
  it('is refused by all others from the moment of the answer, whatever happens to them', async () => {
    const [changer, hanging, cutOff] = gateways;
    if (changer === undefined || hanging === undefined || cutOff === undefined) {
      throw new Error('The gateways are not running');
    }
    let person = await (await addOrganisation(system)).addPerson();
    const accepted: string[] = [];
    for (let change = 0; change < CHANGES; change += 1) {
      for (let times = 0; times < 2; times += 1) {
        for (const gateway of gateways) {
          expect(await statusesAt(gateway, person)).toEqual([200, 200]);
        }
      }
      const names = Object.keys(faults);
      const fault = names[change % names.length] ?? '';
      const victim = fault === 'hangs' ? hanging : cutOff;
      const isKilled = change % CHANGES_PER_KILL === CHANGES_PER_KILL - 1;
      if (isKilled) await hanging.program.kill();
      const end = faults[fault]?.(victim);
      const old = person;
      person = await regenerate(changer, old);
      await end?.();
      if (isKilled) await hanging.program.start();
      const statuses = await Promise.all(gateways.map((gateway) => statusesAt(gateway, old)));
      const isRefused = statuses.flat().every((status) => status === 401);
      if (!isRefused) accepted.push(`${change}, ${fault}: ${statuses.join('; ')}`);
    }
    expect(accepted).toEqual([]);
  });
});
