import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Balancer } from '#test/balancer';
import { ChaosProgram } from '#test/chaos-program';
import { isLongRun } from '#test/chaos-run';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { sendRequest } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { useSystem } from '#test/use-system';

jest.setTimeout(300_000);

const GATEWAYS = 2;
/** In a short run each gateway once. */
const RESTARTS = isLongRun ? 20 : GATEWAYS;
const CLIENTS = 8;
/** Leaves the restarted programs time, and connections that are idle while a gateway ends. */
const PAUSE_MS = 25;
/** Ten times the interval of the balancer's health checks. */
const SHUTDOWN_DELAY_SECONDS = '2';

const system = useSystem({
  programs: ['presence'],
  environment: { SHUTDOWN_DELAY_SECONDS, RATE_LIMIT_USER: '60:1000000' },
});
let gateways: readonly { readonly url: string; readonly program: ChaosProgram }[];
let balancer: Balancer;

beforeAll(async () => {
  system.beforeStop(async () => {
    balancer?.stop();
    await Promise.all((gateways ?? []).map(({ program }) => program.stop()));
  });
  const ports = await freePorts(2 * GATEWAYS);
  gateways = Array.from({ length: GATEWAYS }, (_, index) => {
    const [port = 0, healthPort = 0] = ports.slice(2 * index);
    const environment = { PORT: String(port) };
    const program = new ChaosProgram(system, {
      name: 'api-gateway',
      index,
      healthPort,
      environment,
    });
    return { url: `http://127.0.0.1:${port}`, program };
  });
  await Promise.all(gateways.map(({ program }) => program.start()));
  balancer = await Balancer.start(gateways.map(({ url }) => url));
  await untilAllAreUsed();
});

const untilAllAreUsed = () =>
  eventually(() => expect(gateways.every(({ url }) => balancer.uses(url))).toBe(true));

/** Clients that send one request after another with a short pause, and record failures. */
class Load {
  readonly failures: string[] = [];
  answered = 0;
  private isOn = true;
  readonly #running: Promise<unknown>;

  constructor(people: readonly Person[]) {
    this.#running = Promise.all(people.map((person) => this.#ask(person)));
  }

  async end(): Promise<void> {
    this.isOn = false;
    await this.#running;
  }

  async #ask(person: Person): Promise<void> {
    const api = system.api(person, balancer.url);
    const requests = [
      () => api.get('/users/me'),
      () => api.post('/users/me/presence', { status: 'active', last_update_id: -1 }),
      () => api.post('/messages', { type: 'direct', to: [person.id], content: 'Still there?' }),
    ];
    for (let turn = 0; this.isOn; turn += 1) {
      await delay(PAUSE_MS);
      const reply = await requests[turn % requests.length]?.().catch(String);
      if (typeof reply === 'object' && reply.status === 200) this.answered += 1;
      else
        this.failures.push(
          typeof reply === 'object' ? `${reply.status} ${reply.text}` : `${reply}`,
        );
    }
  }
}

describe('A gateway that is restarted behind a balancer', () => {
  it('fails no request', async () => {
    const people = await (await addOrganisation(system)).addPeople(CLIENTS);
    const load = new Load(people);
    try {
      for (let restart = 0; restart < RESTARTS; restart += 1) {
        await gateways[restart % GATEWAYS]?.program.stop();
        await gateways[restart % GATEWAYS]?.program.start();
        await untilAllAreUsed();
      }
    } finally {
      await load.end();
    }
    expect(load.failures.slice(0, 10)).toEqual([]);
    expect(load.answered).toBeGreaterThan(100 * RESTARTS);
  });

  it('fails readiness first, and closes connections after their responses', async () => {
    const [first] = gateways;
    if (first === undefined) throw new Error('There is no gateway.');
    const before = await sendRequest(`${first.url}/health/live`);
    expect(before.headers.connection).not.toBe('close');
    const stopped = first.program.stop();
    await eventually(async () => {
      const ready = await sendRequest(`${first.url}/health/ready`);
      expect(ready).toMatchObject({
        status: 503,
        headers: { connection: 'close' },
        body: { failing: { shutdown: expect.anything() } },
      });
    });
    const api = system.api('alice', first.url);
    expect(await api.get('/users/me')).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
    });
    await stopped;
    await first.program.start();
  });
});
