/** How many requests may be under way at once, and how many may wait for one host. */
interface SlotLimits {
  readonly perHost: number;
  readonly inAll: number;
  /** Beyond this a request is refused at once: its worker has other pushes. */
  readonly waitingPerHost: number;
}

type Release = () => void;

interface Waiting {
  readonly host: string;
  readonly grant: (release: Release | null) => void;
}

/** Limits the requests to hosts that users have chosen, so that a slow one delays nobody else. */
export class HostSlots {
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  #inAll = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** A slot, which the caller gives back by a call; null when too many wait, or when `signal` is aborted before. */
  take(host: string, signal: AbortSignal): Promise<Release | null> {
    if (this.#isFree(host)) return Promise.resolve(this.#grant(host));
    const line = this.#waiting.get(host) ?? [];
    if (line.length >= this.limits.waitingPerHost || signal.aborted) return Promise.resolve(null);
    return new Promise((grant) => {
      const waiting: Waiting = {
        host,
        grant: (release) => {
          signal.removeEventListener('abort', giveUp);
          grant(release);
        },
      };
      const giveUp = () => {
        if (this.#leave(waiting)) grant(null);
      };
      this.#waiting.set(host, [...line, waiting]);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #isFree(host: string): boolean {
    return this.#inAll < this.limits.inAll && (this.#busy.get(host) ?? 0) < this.limits.perHost;
  }

  #grant(host: string): Release {
    this.#inAll += 1;
    this.#busy.set(host, (this.#busy.get(host) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(host);
    };
  }

  #release(host: string): void {
    this.#inAll -= 1;
    const busy = (this.#busy.get(host) ?? 1) - 1;
    if (busy === 0) this.#busy.delete(host);
    else this.#busy.set(host, busy);
    this.#grantNext();
  }

  /** The hosts with a line take turns: none starves the others, whatever waits for it. */
  #grantNext(): void {
    for (const [host, [next]] of this.#waiting) {
      if (next === undefined || !this.#isFree(host)) continue;
      this.#leave(next);
      const others = this.#waiting.get(host);
      if (others !== undefined) {
        this.#waiting.delete(host);
        this.#waiting.set(host, others);
      }
      next.grant(this.#grant(host));
      return;
    }
  }

  /** False if it does not wait any more. */
  #leave(waiting: Waiting): boolean {
    const { host } = waiting;
    const line = this.#waiting.get(host) ?? [];
    const others = line.filter((one) => one !== waiting);
    if (others.length === 0) this.#waiting.delete(host);
    else this.#waiting.set(host, others);
    return others.length < line.length;
  }
}
