import { HttpConnection } from '../load/http-connection.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { median } from '../measure/median.js';
import { percentile } from '../measure/percentile.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOfTime } from '../results.js';
import type { Bench } from './scenario.js';

const ROUNDS = 5;
/** The most CPU time of the gateway for a request. */
const MAX_MS = 10;

/** A request that is repeated. */
interface Work {
  readonly request: string;
  /** In each round. */
  readonly requests: number;
  /** Before each request, and not measured. */
  readonly before?: () => Promise<void>;
}

/** Measures the CPU time of the gateway for a request, the median of five rounds. */
export async function costOfRequest(
  { programs, database }: Bench,
  name: string,
  { request, requests, before }: Work,
): Promise<Finding> {
  const connection = await HttpConnection.open(programs.gatewayPort);
  const all = new CpuUsage({
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    postgresql: () => database.cpuSeconds(),
  });
  const faults: string[] = [];
  const times: number[] = [];
  const cpuMs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const own = new CpuUsage({ gateway: cpuClock(programs.pidOf('api-gateway')) });
    for (let count = 0; count < requests; count += 1) {
      await before?.();
      const startedAt = performance.now();
      const ask = () => own.during(() => connection.exchange(request));
      const { status, body } = await (round === 0 ? ask() : all.during(ask));
      if (round > 0) times.push(performance.now() - startedAt);
      if (status !== 200) faults.push(`answered ${status}: ${body}`);
    }
    // The first round warms up. The milliseconds of a request are the seconds of a thousand.
    if (round > 0) cpuMs.push(own.perThousand(requests)['gateway'] ?? 0);
  }
  connection.close();
  const measured = { name, value: median(cpuMs), unit: 'ms (CPU)', limit: MAX_MS, target: 1 };
  const text = `answered in ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
  const cpu_s_per_1000 = all.perThousand(requests * ROUNDS);
  return { result: resultOfTime({ ...measured, cpu_s_per_1000 }), notes: [text], faults };
}
