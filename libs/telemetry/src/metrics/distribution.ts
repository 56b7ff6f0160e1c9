/**
 * How values spread over steps. Observing one is an addition to a number, for where a metric's own way would cost
 * more than what it watches; `Metrics.distribution` tells it.
 */
export class Distribution {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** `bounds` are the upper bounds of the steps, ascending; what is above the last is a step of its own. */
  constructor(bounds: readonly number[]) {
    this.#bounds = [...bounds, Number.POSITIVE_INFINITY];
    this.#counts = this.#bounds.map(() => 0);
  }

  observe(value: number): void {
    let step = 0;
    while (value > (this.#bounds[step] ?? 0)) step += 1;
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#sum += value;
  }

  /** Its samples in Prometheus' text format, a line each. */
  lines(name: string): string[] {
    let count = 0;
    const buckets = this.#bounds.map((bound, step) => {
      count += this.#counts[step] ?? 0;
      return `${name}_bucket{le="${bound === Number.POSITIVE_INFINITY ? '+Inf' : bound}"} ${count}`;
    });
    return [...buckets, `${name}_sum ${this.#sum}`, `${name}_count ${count}`];
  }
}
