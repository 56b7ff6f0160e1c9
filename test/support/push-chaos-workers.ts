import { ChaosProgram } from './chaos-program.js';
import { freePorts } from './free-ports.js';
import type { System } from './start-system.js';

/** Starts additional push workers; they stop with the system. */
export async function startChaosWorkers(system: System, count: number): Promise<ChaosProgram[]> {
  const ports = await freePorts(count);
  const workers = ports.map(
    (healthPort, index) =>
      new ChaosProgram(system, { name: 'push-worker', index, healthPort, startedWhen: 'live' }),
  );
  system.beforeStop(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  await Promise.all(workers.map((worker) => worker.start()));
  return workers;
}
