import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { eventually } from '#test/eventually';
import type { Container, Pod } from './manifests.js';

/** Longer than any startup probe and time of grace. */
const DEADLINE_MS = 240_000;

/** What a node sees of a pod. */
interface PodEvent {
  readonly pod: string;
  readonly started?: boolean;
  readonly ready?: boolean;
  readonly alive?: boolean;
}

/** One client signs in, the others do not. */
interface Load {
  readonly host: string;
  readonly anonymous: { readonly path: string };
  readonly signedIn: { readonly path: string; readonly authorization: string };
}

/** The outcome of the requests. */
export interface LoadResult {
  /** How many requests each pod has answered with 200. */
  readonly served: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

type Event = PodEvent | LoadResult;

/** A container with `node.mjs`: it probes pods and sends requests to those that are ready. */
export class ClusterNode {
  readonly #seen: Event[] = [];
  readonly #process: ChildProcessWithoutNullStreams;

  constructor(image: string, network: string, name: string) {
    const script = readFileSync(new URL('node.mjs', import.meta.url), 'utf8');
    const options = ['--rm', '--interactive', '--name', name, '--network', network];
    const command = ['node', '--input-type=module', '--eval', script];
    this.#process = spawn('docker', ['run', ...options, image, ...command]);
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      // `node.mjs` writes these.
      this.#seen.push(JSON.parse(line) as Event);
    });
    this.#process.stderr.pipe(process.stderr);
  }

  /** Probes a pod from now on. A pod with a port `http` gets requests while it is ready. */
  watch(name: string, address: string, { containers: [container] }: Pod): void {
    const http = container.ports?.find((port) => port.name === 'http')?.containerPort;
    this.#order('watch', {
      name,
      probes: probesOf(container, address),
      ...(http !== undefined && { service: `http://${address}:${http}` }),
    });
  }

  forget(name: string): void {
    this.#order('forget', { name });
  }

  startLoad(load: Load): void {
    this.#order('load', load);
  }

  async endLoad(): Promise<LoadResult> {
    this.#order('end', {});
    const result = await this.#until((event): event is LoadResult => 'failures' in event);
    this.#seen.splice(this.#seen.indexOf(result), 1);
    return result;
  }

  /** Resolves when the pod is ready; rejects if its startup probe or its liveness probe has failed. */
  async untilReady(name: string): Promise<void> {
    const event = await this.#until(
      (one): one is PodEvent =>
        'pod' in one &&
        one.pod === name &&
        (one.ready === true || one.started === false || one.alive === false),
    );
    if (event.ready !== true) throw new Error(`A cluster would restart ${name}`);
  }

  /** Whether a cluster would have restarted the pod. */
  hasFailed = (name: string): boolean =>
    this.#seen.some((event) => 'pod' in event && event.pod === name && event.alive === false);

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.stdin.end();
    await once(this.#process, 'close');
  }

  #order(order: string, settings: object): void {
    this.#process.stdin.write(`${JSON.stringify({ order, ...settings })}\n`);
  }

  #until<Wanted extends Event>(isWanted: (event: Event) => event is Wanted): Promise<Wanted> {
    return eventually(() => {
      const found = this.#seen.find(isWanted);
      if (found === undefined) throw new Error('The container with node.mjs reports nothing');
      return found;
    }, DEADLINE_MS);
  }
}

/** The probes with the defaults of Kubernetes. */
function probesOf(container: Container, address: string) {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const all = { startup: startupProbe, liveness: livenessProbe, readiness: readinessProbe };
  return Object.fromEntries(
    Object.entries(all).map(([kind, probe]) => {
      if (probe === undefined) throw new Error(`${container.name} has no ${kind} probe`);
      const { httpGet, periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 } = probe;
      const port = container.ports?.find(({ name }) => name === httpGet.port)?.containerPort;
      const settings = {
        url: `http://${address}:${port}${httpGet.path}`,
        periodMs: periodSeconds * 1000,
        timeoutMs: timeoutSeconds * 1000,
        failureThreshold,
      };
      return [kind, settings];
    }),
  );
}
