/** The answers to one change of a stream. */
export class StreamRound {
  readonly times: number[] = [];
  readonly ended: Promise<void>;
  #startedAt = Number.NaN;
  #end: () => void = () => undefined;

  constructor(private readonly clients: number) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  begin(): void {
    this.#startedAt = performance.now();
  }

  received(): void {
    this.times.push(performance.now() - this.#startedAt);
    if (this.times.length === this.clients) this.#end();
  }
}
