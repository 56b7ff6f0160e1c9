import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeRedis, openRedis, untilReady } from '#platform/redis';
import type { OwnProcess } from '../../deploy/local/own-process.js';
import { programNames, programOf, type StackParts } from '../../deploy/local/programs.js';
import { startRedis } from '../../deploy/local/redis-server.js';
import type { DemoFile, DemoFileUser } from '../../prisma/seed/demo-files.js';
import { type SeedOptions, seedDemoWorld } from '../../prisma/seed/seed.js';
import { ApiClient, type Credentials } from './api-client.js';
import type { CostQuestion, ProgramCost } from './cost-probe.js';
import type { ProbeOrder } from './database-probe.js';
import { templateApiKeySecret, templatePushKeySecret } from './database-templates.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { sendRequest } from './http-request.js';
import { type Environment, type ProgramName, startProgram } from './program-process.js';
import { SandboxClient } from './sandbox-client.js';
import { createTestDatabase, type TestDatabase } from './test-stores.js';
import { throwawayConfig } from './throwaway-config.js';
import { silence } from './throwaway-redis.js';

const READY_DEADLINE_MS = 100_000;

export interface SystemOptions {
  /** All programs by default. The push worker needs the sandbox. */
  readonly programs?: readonly ProgramName[];
  /** Overrides of the environment of a local start. */
  readonly environment?: Environment;
  /** A migrated database, whose connections `stop` closes; by default a new one of the server of the run. */
  readonly database?: TestDatabase;
  /** Creates the demo organisation in place of the seed of this release. */
  readonly seed?: (options: SeedOptions) => Promise<unknown>;
  /** Loads probes into the programs, which count SQL statements and can make them fail. */
  readonly hasProbe?: boolean;
  /** Whether V8 optimises the code of the programs as in production; by default only in long runs. */
  readonly isOptimised?: boolean;
  /** The folder of the built programs; by default this one. */
  readonly root?: string;
}

/** The addresses and secrets of a system, as JSON, with which another process can attach to it. */
export interface SystemDescription {
  readonly demo: DemoFile;
  readonly parts: Omit<StackParts, 'apiKeySecret' | 'presenceSecret' | 'pushKeySecret'>;
  /** In base64. */
  readonly presenceSecret: string;
  readonly environment: Environment;
}

/**
 * The built programs on the demo organisation, started like `npm start`: each is a process from `dist`, on free ports,
 * with a temporary database, Redis and data folder of this system.
 */
export class System {
  readonly sandbox: SandboxClient;
  readonly #processes = new Map<string, OwnProcess>();
  readonly #beforeStop: (() => Promise<void>)[] = [];
  #gateways = 0;

  constructor(
    readonly demo: DemoFile,
    readonly database: TestDatabase,
    private readonly parts: StackParts,
    private readonly options: SystemOptions,
    private readonly undo: () => Promise<void>,
  ) {
    this.sandbox = new SandboxClient(demo.sandbox_url);
  }

  /** A client of a system that another process has started, with a connection to its database; `stop` ends neither. */
  static attach(
    { demo, parts, presenceSecret, environment }: SystemDescription,
    database: TestDatabase,
  ): System {
    const secrets = {
      apiKeySecret: templateApiKeySecret,
      pushKeySecret: templatePushKeySecret,
      presenceSecret: Buffer.from(presenceSecret, 'base64'),
    };
    return new System(demo, database, { ...parts, ...secrets }, { environment }, () =>
      Promise.resolve(),
    );
  }

  /** The argument for `attach`. */
  describe(): SystemDescription {
    const { apiKeySecret: _, pushKeySecret: __, presenceSecret, ...parts } = this.parts;
    return {
      demo: this.demo,
      parts,
      presenceSecret: presenceSecret.toString('base64'),
      environment: this.options.environment ?? {},
    };
  }

  get gatewayUrl(): string {
    return this.demo.base_url;
  }

  /** An account of the demo organisation, by its demo name. */
  user(name: string): DemoFileUser {
    const user = this.demo.users[name];
    if (user === undefined) throw new Error(`The demo organisation has no account "${name}".`);
    return user;
  }

  /** A client that is signed in as an account, given by its demo name or its credentials. */
  api(who: string | Credentials, gatewayUrl = this.gatewayUrl): ApiClient {
    return new ApiClient(gatewayUrl, typeof who === 'string' ? this.user(who) : who);
  }

  /** A client without credentials. */
  anonymous(gatewayUrl = this.gatewayUrl): ApiClient {
    return new ApiClient(gatewayUrl);
  }

  /** Starts a program, or restarts it after `kill`; resolves when it is ready. */
  async start(name: ProgramName, environment: Environment = {}): Promise<void> {
    await this.#run(name, name, this.parts, environment);
  }

  /** The environment of a program, for a test that runs it in its own process. */
  environmentOf(name: ProgramName): Environment {
    return { ...programOf(name, this.parts).environment, ...this.options.environment };
  }

  isRunning(name: ProgramName): boolean {
    return this.#processes.get(name)?.isRunning ?? false;
  }

  /** The id of the process of a program that runs. */
  pidOf(name: ProgramName): number {
    const pid = this.#processes.get(name)?.child.pid;
    if (pid === undefined) throw new Error(`${name} does not run.`);
    return pid;
  }

  /**
   * Sends a command to the probe of a program, which needs `hasProbe`; resolves with the number of SQL statements that
   * the program has sent since its start.
   */
  async probe(name: ProgramName, order: ProbeOrder): Promise<number> {
    const child = this.#processes.get(name)?.child;
    if (child?.connected !== true) throw new Error(`${name} does not run, or has no probe.`);
    child.send(order);
    const [count] = await once(child, 'message');
    return Number(count);
  }

  /**
   * The cost of a program since the last call; needs `hasProbe`. The first call starts the measurement, and one with
   * `last cost` ends it.
   */
  async costOf(name: ProgramName, question: CostQuestion = 'cost'): Promise<ProgramCost> {
    const child = this.#processes.get(name)?.child;
    if (child?.connected !== true) throw new Error(`${name} does not run, or has no probe.`);
    child.send(question);
    const [cost] = await once(child, 'message');
    return cost;
  }

  /** Starts an additional gateway; resolves with its address. */
  async startGateway(environment: Environment = {}): Promise<string> {
    const [port = 0] = await freePorts(1);
    const { config } = this.parts;
    const parts = {
      ...this.parts,
      config: { ...config, ports: { ...config.ports, gateway: port } },
    };
    this.#gateways += 1;
    await this.#run(`api-gateway-${this.#gateways}`, 'api-gateway', parts, environment);
    return `http://127.0.0.1:${port}`;
  }

  /** Sends a signal to a program and resolves when it has ended; `SIGKILL` simulates a crash. */
  async kill(name: ProgramName, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const running = this.#processes.get(name);
    running?.child.kill(signal);
    await running?.ended;
  }

  /** Flushes Redis, as if its disk were lost. */
  async flushRedis(): Promise<void> {
    const redis = openRedis(this.parts.stores.redisUrl, 'tests');
    await untilReady(redis, READY_DEADLINE_MS);
    await redis.flushall();
    await closeRedis(redis);
  }

  async stopPrograms(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((running) => running.stop()));
  }

  /** Registers work that `stop` does before it stops the stores. */
  beforeStop(work: () => Promise<void>): void {
    this.#beforeStop.push(work);
  }

  /** Stops everything and removes the temporary data. */
  async stop(): Promise<void> {
    try {
      for (const work of this.#beforeStop.splice(0)) await work();
    } finally {
      await this.undo();
    }
  }

  async #run(
    label: string,
    name: ProgramName,
    parts: StackParts,
    environment: Environment,
  ): Promise<void> {
    const program = programOf(name, parts);
    const logFile = path.join(parts.dataDir, `${label}.log`);
    const given = { ...program.environment, ...this.options.environment, ...environment };
    const { nodeArgs } = program;
    const running = startProgram(name, given, logFile, { nodeArgs, ...this.options });
    this.#processes.set(label, running);
    await Promise.race([untilServing(program.readyUrl), failsWhenEnded(label, running)]).catch(
      async (error: unknown) => {
        throw new Error(`${label} does not serve.\n${await readFile(logFile, 'utf8')}`, {
          cause: error,
        });
      },
    );
  }
}

/** Starts a separate system for a test file, which must `stop` it. If the start fails, nothing remains. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const undoing: (() => Promise<void>)[] = [];
  const undo = async () => {
    for (const undoOne of undoing.toReversed()) await undoOne();
  };
  try {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'carillon-e2e-'));
    undoing.push(() => rm(dataDir, { recursive: true, force: true }));
    const database = options.database ?? (await createTestDatabase('demo'));
    undoing.push(() => database.drop());
    const redis = await startRedis({
      root: process.cwd(),
      folder: dataDir,
      isThrowaway: true,
      progress: silence,
    });
    undoing.push(() => redis.stop());
    const parts: StackParts = {
      config: await throwawayConfig(dataDir, options.environment),
      dataDir,
      stores: { databaseUrl: database.url, redisUrl: redis.url },
      apiKeySecret: templateApiKeySecret,
      pushKeySecret: templatePushKeySecret,
      presenceSecret: randomBytes(32),
      opsToken: randomBytes(16).toString('hex'),
    };
    const demo = await seed(parts, options.seed ?? seedDemoWorld);
    const system = new System(demo, database, parts, options, undo);
    undoing.push(() => system.stopPrograms());
    await startPrograms(system, options.programs ?? programNames);
    return system;
  } catch (error) {
    await undo();
    throw error;
  }
}

async function startPrograms(system: System, names: readonly ProgramName[]): Promise<void> {
  // The sandbox writes the credentials that the worker needs.
  if (names.includes('push-sandbox')) await system.start('push-sandbox');
  const others = names.filter((name) => name !== 'push-sandbox');
  await Promise.all(others.map((name) => system.start(name)));
}

async function seed(
  { config, dataDir, stores, ...parts }: StackParts,
  seedWorld: (options: SeedOptions) => Promise<unknown>,
) {
  const { apiKeySecret, pushKeySecret, opsToken } = parts;
  const baseUrl = `http://127.0.0.1:${config.ports.gateway}`;
  const sandboxUrl = `http://127.0.0.1:${config.ports.sandbox}`;
  const secrets = { apiKeySecret, pushKeySecret, opsToken };
  await seedWorld({ ...stores, ...secrets, dataDir, baseUrl, sandboxUrl });
  // The seed writes this file in this shape.
  return JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
}

const untilServing = (url: string): Promise<void> =>
  eventually(async () => {
    const { status, text } = await sendRequest(url);
    if (status !== 200) throw new Error(`${url} answers ${status}: ${text}`);
  }, READY_DEADLINE_MS);

async function failsWhenEnded(label: string, running: OwnProcess): Promise<never> {
  throw new Error(`${label} ended (${await running.ended})`);
}
