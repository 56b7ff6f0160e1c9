/** Tells the CPU seconds that something has used so far; null where that cannot be known. */
export type CpuClock = () => number | null | Promise<number | null>;

/** Such clocks by the names of what they tell of. */
export type CpuClocks = Readonly<Record<string, CpuClock>>;

/** Adds up the CPU that several processes use during the stretches that are measured. */
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

  /** CPU seconds for a thousand requests, by process; those that cannot be known are left out. */
  perThousand(requests: number): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#seconds, ([name, seconds]) => [name, (seconds / requests) * 1000]),
    );
  }

  /** CPU seconds in each of so many seconds, by process; those that cannot be known are left out. */
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
