import { arch, cpus, platform, release, totalmem } from 'node:os';

/** The machine of a run. Figures of different machines cannot be compared. */
export interface Machine {
  readonly measured_at: string;
  readonly os: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gib: number;
}

export function describeMachine(now: Date): Machine {
  const cores = cpus();
  return {
    measured_at: now.toISOString(),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
  };
}
