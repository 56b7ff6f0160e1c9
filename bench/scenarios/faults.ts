import type { Tally } from '../load/tally.js';

/** Collects wrong responses. */
export class Faults {
  readonly #list: string[] = [];

  get list(): readonly string[] {
    return this.#list;
  }

  add(design: string, { requests, wrongAnswers, firstWrongAnswer }: Tally): void {
    if (wrongAnswers === 0) return;
    this.#list.push(`${design}: ${wrongAnswers} of ${requests} wrong, such as ${firstWrongAnswer}`);
  }

  addCount(what: string, count: number): void {
    if (count > 0) this.#list.push(`${what}: ${count}`);
  }
}
