/** Reads the CPU seconds of a process or group so far; null where the system does not provide them. */
export type CpuClock = () => number | null | Promise<number | null>;

/** CPU clocks by name. */
export type CpuClocks = Readonly<Record<string, CpuClock>>;

/** Sums the CPU usage of several processes during the measured periods. */
export class CpuUsage {
  readonly #seconds = new Map<string, number>();

  constructor(private readonly clocks: CpuClocks) {}

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = await this.#read();
    const result = await work();
    for (const [name, seconds] of await this.#read()) {
      const used = seconds - (before.get(name) ?? seconds);
      this.#seconds.set(name, (this.#seconds.get(name) ?? 0) + used);
    }
    return result;
  }

  /** CPU seconds per thousand requests by name, without unavailable clocks. */
  perThousand(requests: number): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#seconds, ([name, seconds]) => [name, (seconds / requests) * 1000]),
    );
  }

  /** CPU seconds per second by name over a period of `seconds`, without unavailable clocks. */
  perSecond(seconds: number): Record<string, number> {
    return this.perThousand(seconds * 1000);
  }

  async #read(): Promise<Map<string, number>> {
    const readings = new Map<string, number>();
    for (const [name, clock] of Object.entries(this.clocks)) {
      const seconds = await clock();
      if (seconds !== null) readings.set(name, seconds);
    }
    return readings;
  }
}
