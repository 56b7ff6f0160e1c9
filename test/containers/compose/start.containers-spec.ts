import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { freePorts } from '#test/free-ports';
import { sendRequest } from '#test/http-request';
import { cpuSecondsOf } from '../../../bench/measure/process-cpu.js';
import { docker, hasEngine, quoted, runShell, showProgress } from '../engine.js';
import { addressOf, type Container, containers } from './containers.js';
import { Installation } from './installation.js';

jest.setTimeout(1_200_000);

/** In turn, so that other work of the machine affects both. */
const ROUNDS = 5;
const MOST_OF_START = 1.2;
const MOST_OF_COMMAND = 2;
const CHECK_MS = 20;
const HELP = ['dist/apps/cli/src/main.js', '--help'];

/** The milliseconds since a process began, in steps of ten. */
function ageMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startedAt = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const [uptime = ''] = readFileSync('/proc/uptime', 'utf8').split(' ');
  return Number(uptime) * 1000 - startedAt * 10;
}

interface Cost {
  readonly cpu: number;
  readonly clock: number;
}

(hasEngine() ? describe : describe.skip)('Beside the same program without a container', () => {
  let installation: Installation;
  let gateway: Container;
  let folder: string;
  /** The variables of the gateway, with addresses and files that the host has. */
  let variables: Record<string, string>;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
    const [one] = await containers('api-gateway');
    if (one === undefined) throw new Error('There is no gateway');
    gateway = one;
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-bare-'));
    await docker('cp', '--quiet', `${gateway.Id}:/app`, `${folder}/app`);
    await docker('cp', '--quiet', '--follow-link', `${gateway.Id}:/usr/local/bin/node`, folder);
    variables = await variablesOutside();
  });
  afterAll(async () => {
    await installation?.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  async function variablesOutside(): Promise<Record<string, string>> {
    const [port, metricsPort] = await freePorts(2);
    const secrets = installation.file('secrets/');
    const own = gateway.Config.Env.map((text): [string, string] => {
      const [name = ''] = text.split('=', 1);
      return [name, text.slice(name.length + 1).replace('/run/secrets/', secrets)];
    });
    return {
      ...Object.fromEntries(own),
      DATABASE_URL: await installation.storeUrl('database-url', 'postgres'),
      DATABASE_URL_FILE: '',
      REDIS_URL: await installation.storeUrl('redis-url', 'redis'),
      REDIS_URL_FILE: '',
      PRESENCE_ADDRESSES: `${await addressOf('presence')}:9993`,
      HOST: '127.0.0.1',
      PORT: String(port),
      GATEWAY_METRICS_PORT: String(metricsPort),
      UPLOADS_DIR: `${folder}/uploads`,
    };
  }

  /** Starts Node of the image without a container. */
  const startBare = (words: readonly string[]): ChildProcess =>
    spawn(`${folder}/node`, words, {
      cwd: `${folder}/app`,
      env: childEnvironment(variables),
      stdio: 'ignore',
    });

  const isReady = (url: string) =>
    sendRequest(`${url}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );

  async function untilReady(url: string): Promise<void> {
    while (!(await isReady(url))) await delay(CHECK_MS);
  }

  async function startOutside(): Promise<Cost> {
    const beganAt = performance.now();
    const child = startBare(gateway.Config.Cmd.slice(1));
    await untilReady(`http://127.0.0.1:${variables['PORT'] ?? ''}`);
    const clock = performance.now() - beganAt;
    const cpu = cpuSecondsOf(child.pid ?? 0) ?? NaN;
    child.kill('SIGKILL');
    await once(child, 'exit');
    return { cpu, clock };
  }

  async function startInside(): Promise<Cost> {
    await docker('kill', gateway.Id);
    await docker('start', gateway.Id);
    await untilReady(`http://${await addressOf('api-gateway')}:9991`);
    // The child of the first process: without the time in which the engine makes the container.
    const first = await docker('inspect', '--format', '{{.State.Pid}}', gateway.Id);
    const [pid = 0] = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number);
    return { clock: ageMsOf(pid), cpu: cpuSecondsOf(pid) ?? NaN };
  }

  /** The ratios of the least costs: other work of the machine only adds to a cost. */
  async function compare(
    title: string,
    inside: () => Promise<Cost>,
    outside: () => Promise<Cost>,
  ): Promise<Cost> {
    const costs: { readonly inside: Cost; readonly outside: Cost }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.push({ outside: await outside(), inside: await inside() });
    }
    const [least, bare] = (['inside', 'outside'] as const).map((side) => ({
      cpu: Math.min(...costs.map((cost) => cost[side].cpu)),
      clock: Math.min(...costs.map((cost) => cost[side].clock)),
    }));
    process.stderr.write(`    ${title}: ${JSON.stringify({ inside: least, outside: bare })}\n`);
    if (least === undefined || bare === undefined) throw new Error('There was no round');
    return { cpu: least.cpu / bare.cpu, clock: least.clock / bare.clock };
  }

  it('starts a gateway in at most 1.2 times the time', async () => {
    const [load = NaN] = loadavg();
    const isQuiet = load < availableParallelism();
    // The first start reads the files from the disk.
    await startOutside();
    const { cpu, clock } = await compare('start of a gateway', startInside, startOutside);
    expect(cpu).toBeLessThan(MOST_OF_START);
    if (!isQuiet) {
      process.stderr.write('    The machine is busy: the times by the clock were not compared\n');
    }
    expect(isQuiet ? clock : 0).toBeLessThan(MOST_OF_START);
  });

  const timed = (command: string) => `TIMEFORMAT='%U %S'; time ${command} > /dev/null`;

  /** Runs a command that prints the seconds of CPU of the user and of the system on stderr. */
  async function time(command: string): Promise<Cost> {
    const beganAt = performance.now();
    const output = await runShell(`${command} 2>&1`, { folder: `${folder}/app` });
    const clock = performance.now() - beganAt;
    const [user = NaN, system = NaN] = output.trim().split(' ').map(Number);
    return { cpu: user + system, clock };
  }

  it('runs the command line in at most twice the time', async () => {
    const inside = `docker exec ${gateway.Id} bash -c ${quoted(timed('carillon --help'))}`;
    const set = ['NODE_ENV', 'NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']
      .map((name) => `${name}=${quoted(variables[name] ?? '')}`)
      .join(' ');
    const outside = `${set} bash -c ${quoted(timed(`${folder}/node ${HELP.join(' ')}`))}`;
    const { cpu, clock } = await compare(
      'carillon --help',
      () => time(inside),
      () => time(outside),
    );
    expect(cpu).toBeLessThan(MOST_OF_COMMAND);
    expect(clock).toBeLessThan(MOST_OF_COMMAND);
  });
});
