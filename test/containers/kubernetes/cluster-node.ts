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

/** A container with `node.mjs`: it probes pods. */
export class ClusterNode {
  readonly #seen: PodEvent[] = [];
  readonly #process: ChildProcessWithoutNullStreams;

  constructor(image: string, network: string, name: string) {
    const script = readFileSync(new URL('node.mjs', import.meta.url), 'utf8');
    const options = ['--rm', '--interactive', '--name', name, '--network', network];
    const command = ['node', '--input-type=module', '--eval', script];
    this.#process = spawn('docker', ['run', ...options, image, ...command]);
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      // `node.mjs` writes these.
      this.#seen.push(JSON.parse(line) as PodEvent);
    });
    this.#process.stderr.pipe(process.stderr);
  }

  /** Probes a pod from now on. */
  watch(name: string, address: string, { containers: [container] }: Pod): void {
    this.#order('watch', { name, probes: probesOf(container, address) });
  }

  forget(name: string): void {
    this.#order('forget', { name });
  }

  /** Resolves when the pod is ready; rejects if its startup probe or its liveness probe has failed. */
  async untilReady(name: string): Promise<void> {
    const event = await eventually(() => {
      const found = this.#seen.find(
        ({ pod, ready, started, alive }) =>
          pod === name && (ready === true || started === false || alive === false),
      );
      if (found === undefined) throw new Error(`No probe of ${name} has decided`);
      return found;
    }, DEADLINE_MS);
    if (event.ready !== true) throw new Error(`A cluster would restart ${name}`);
  }

  /** Whether a cluster would have restarted the pod. */
  hasFailed = (name: string): boolean =>
    this.#seen.some((event) => event.pod === name && event.alive === false);

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.stdin.end();
    await once(this.#process, 'close');
  }

  #order(order: string, settings: object): void {
    this.#process.stdin.write(`${JSON.stringify({ order, ...settings })}\n`);
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
