import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '#platform/core';
import { applyMigrations, Database } from '#platform/database';
import type { CommandContext } from '../../deploy/local/command.js';
import type { Lifetime } from '../../deploy/local/lifetime.js';
import type { Stores } from '../../deploy/local/stores.js';
import { describeMachine } from '../machine.js';
import { percentile } from '../measure/percentile.js';
import { RedisMeter } from '../measure/redis-meter.js';
import { type OurProgram, OurPrograms, reportsMemory } from '../processes/our-programs.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { APP_ID, type BenchRealm, createRealm } from '../world/bench-world.js';
import { BenchWorldRepository } from '../world/bench-world.repository.js';
import { SoakLoad } from './soak-load.js';
import { SoakMeterRepository } from './soak-meter.repository.js';
import { soakPicture } from './soak-picture.js';
import type { SoakPlan } from './soak-plan.rules.js';
import { type SoakSample, verdictOf } from './soak-verdict.rules.js';

const MEASURED: readonly OurProgram[] = ['api-gateway', 'presence', 'push-worker'];
/** Devices of one statement, which stays below the time limit of statements. */
const SLICE = 5000;
const RESULTS = 'bench/results';

/** The context of a soak test. */
interface SoakRun extends CommandContext {
  readonly plan: SoakPlan;
  readonly lifetime: Lifetime;
  readonly stores: Stores;
  readonly folder: string;
}

/**
 * Loads an organisation for a long time, prints each sample, and writes `bench/results/soak.json` and `soak.svg` after
 * each one. Resolves with 1 if something grows or fails.
 */
export async function runSoak(run: SoakRun): Promise<number> {
  const { plan, progress, root, lifetime } = run;
  const soak = await Soak.open(run);
  const realm = await soak.populate(plan);
  const load = new SoakLoad(soak.programs.gatewayPort, realm);
  const end = new AbortController();
  lifetime.defer(async () => end.abort());
  const loaded = load.run(plan.rate, plan.clients, end.signal);
  const samples: SoakSample[] = [];
  const startedAt = performance.now();
  const title = `${plan.people} people, ${plan.devices} devices, ${plan.clients} clients, ${plan.rate} requests a second`;
  for (let turn = 1; turn * plan.sample <= plan.minutes * 60; turn += 1) {
    await delay(Math.max(0, startedAt + turn * plan.sample * 1000 - performance.now()));
    try {
      const sample = await soak.sample(load, startedAt);
      samples.push(sample);
      progress.print(lineOf(sample, plan, load.lastFailure));
    } catch (error) {
      // A run of hours does not end because a store was busy for a moment.
      progress.print(`No sample: ${errorText(error)}`);
      continue;
    }
    const result = { machine: describeMachine(new Date()), plan, samples };
    writeFileSync(path.join(root, RESULTS, 'soak.json'), `${JSON.stringify(result, null, 1)}\n`);
    writeFileSync(path.join(root, RESULTS, 'soak.svg'), soakPicture(samples, title));
  }
  end.abort();
  await loaded;
  const faults = verdictOf(samples);
  const verdict =
    faults.length === 0 ? 'Nothing grows but tables with a retention' : faults.join('; ');
  progress.print(progress.paint(faults.length === 0 ? 'green' : 'red', `${verdict}.`));
  progress.print(`Written to ${RESULTS}/soak.json and ${RESULTS}/soak.svg`);
  return faults.length === 0 ? 0 : 1;
}

/** The programs under load, and what reads their state. */
class Soak {
  #shown = 0;
  #sampledAt = 0;

  private constructor(
    readonly programs: OurPrograms,
    private readonly run: SoakRun,
    private readonly world: BenchWorldRepository,
    private readonly meter: SoakMeterRepository,
    private readonly redis: RedisMeter,
    private readonly inbox: SandboxInbox,
  ) {}

  static async open(run: SoakRun): Promise<Soak> {
    const { root, folder, stores, progress, lifetime } = run;
    await progress.step('Migrations', () => applyMigrations(stores.databaseUrl));
    const database = new Database({ url: stores.databaseUrl, poolSize: 2 });
    lifetime.defer(() => database.onApplicationShutdown());
    const redis = await RedisMeter.open(stores.redisUrl);
    lifetime.defer(() => redis.close());
    const place = { root, logFolder: folder, profileFolder: null };
    const programs = await OurPrograms.on(place, stores);
    lifetime.defer(() => programs.stop());
    return new Soak(
      programs,
      run,
      new BenchWorldRepository(database),
      new SoakMeterRepository(database),
      redis,
      new SandboxInbox(`http://127.0.0.1:${programs.parts.config.ports.sandbox}`),
    );
  }

  /** Creates the organisation, and starts the programs. */
  async populate({ people, devices }: SoakPlan): Promise<BenchRealm> {
    const { progress, root, folder } = this.run;
    const realm = await progress.step(`${people} people`, () =>
      createRealm(this.world, 'soak', people),
    );
    await progress.step(`${devices} devices`, async () => {
      for (let first = 0; first < devices; first += SLICE) {
        const slice = Array.from({ length: Math.min(SLICE, devices - first) }, (_, index) => ({
          userId: realm.users[(first + index) % people]?.userId ?? 0,
          token: randomBytes(32).toString('hex'),
        }));
        await this.world.createDevices(slice, APP_ID);
      }
    });
    const special = reportsMemory({ root, logFolder: folder, profileFolder: null });
    await this.programs.start('push-sandbox');
    for (const name of MEASURED) {
      await progress.step(name, () => this.programs.start(name, special));
    }
    return realm;
  }

  /** The counts of the load are taken last: without a sample they belong to the next one. */
  async sample(load: SoakLoad, startedAt: number): Promise<SoakSample> {
    const memory: Record<string, number> = {};
    for (const name of MEASURED) memory[name] = await this.programs.memoryOf(name);
    memory['redis'] = await this.redis.usedBytes();
    const tables = await this.meter.tables();
    const backlog = await this.meter.backlog();
    const { shown } = await this.inbox.arrivals();
    const { latencies, failed, events } = load.take();
    const at = (performance.now() - startedAt) / 1000;
    const seconds = at - this.#sampledAt;
    const newlyShown = shown - this.#shown;
    this.#sampledAt = at;
    this.#shown = shown;
    return {
      at,
      memory,
      tables,
      ...backlog,
      answered: latencies.length / seconds,
      shown: newlyShown / seconds,
      events: events / seconds,
      failed,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  }
}

function lineOf(sample: SoakSample, plan: SoakPlan, lastFailure: string): string {
  const memory = Object.entries(sample.memory)
    .map(([name, bytes]) => `${name} ${(bytes / 1024 / 1024).toFixed(0)}`)
    .join(', ');
  const rates = `${sample.answered.toFixed(0)} requests/s, ${sample.shown.toFixed(0)} pushes/s, ${sample.events.toFixed(0)} events/s`;
  const lag = `p99 ${sample.p99.toFixed(0)} ms, ${sample.pending} wait (${sample.oldestSeconds.toFixed(0)} s)`;
  const failures = sample.failed === 0 ? '' : `, ${sample.failed} FAILED (${lastFailure})`;
  const at = `${(sample.at / 60).toFixed(1)} of ${plan.minutes} min`;
  return `${at}: ${rates}; ${lag}; MiB: ${memory}${failures}`;
}
