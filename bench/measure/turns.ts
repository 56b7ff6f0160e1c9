import { AsyncLocalStorage } from 'node:async_hooks';

/** Lets several runs take turns on one machine: only one of them works at a time, and the others wait for it to pass. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Does the work in the turns of one run. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#take();
    try {
      return await current.run(this, work);
    } finally {
      this.#giveBack();
    }
  }

  /** Lets each waiting run work until it passes or ends. */
  async pass(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const ours = this.#take();
    this.#giveBack();
    await ours;
  }

  async #take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((start) => this.#waiting.push(start));
    this.#isTaken = true;
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

const current = new AsyncLocalStorage<Turns>();

/** Between two rounds: lets the run of another build have its round, if there is one. */
export const passTurn = (): Promise<void> => current.getStore()?.pass() ?? Promise.resolve();
