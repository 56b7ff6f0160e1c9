/** What the push sandbox says has arrived at its APNs since it was last told to forget. */
export interface Arrivals {
  readonly attempts: number;
  readonly shown: number;
  readonly duplicates: number;
}

/** One notification that a phone showed. */
export interface Arrival {
  readonly token: string;
  /** UNIX milliseconds. */
  readonly at: number;
}

/** What was sent to APNs: its headers but for the credentials and the path, and the payload. */
export interface SampleRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: object;
}

interface Delivery {
  readonly token: string;
  readonly status: number | null;
  readonly received_at: number;
  readonly headers: Record<string, string>;
  readonly payload: object;
}

const LOOK_EVERY_MS = 10;
/**
 * Without a single arrival for so long, the rest is taken for lost. What a stalled queue did not take is
 * picked up from the database by the worker's sweeper, within some 20 seconds.
 */
const PATIENCE_MS = 40_000;

/** The push sandbox, as one who waits for notifications sees it. */
export class SandboxInbox {
  constructor(private readonly url: string) {}

  async forget(): Promise<void> {
    await fetch(`${this.url}/api/deliveries`, { method: 'DELETE' });
  }

  /** Waits until so many different ones were shown, or until it is clear that they will not be. */
  async untilShown(expected: number): Promise<Arrivals> {
    let arrivals = await this.#arrivals();
    let changedAt = performance.now();
    while (arrivals.shown < expected && performance.now() - changedAt < PATIENCE_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      const next = await this.#arrivals();
      if (next.shown > arrivals.shown) changedAt = performance.now();
      arrivals = next;
    }
    return arrivals;
  }

  /** What was shown on these phones, in the order of its arrival. */
  async shownOn(tokens: readonly string[]): Promise<Arrival[]> {
    const wanted = new Set(tokens);
    return (await this.#deliveries(''))
      .filter(({ token, status }) => status === 200 && wanted.has(token))
      .map(({ token, received_at: seconds }) => ({ token, at: seconds * 1000 }));
  }

  /** The request that came last; rejects when there was none. */
  async lastRequest(): Promise<SampleRequest> {
    const [last] = await this.#deliveries('&limit=1');
    if (last === undefined) throw new Error('Nothing has come to the sandbox.');
    const headers = Object.entries(last.headers).filter(([name]) => name !== 'authorization');
    return { headers: Object.fromEntries(headers), payload: last.payload };
  }

  async #deliveries(filter: string): Promise<Delivery[]> {
    const response = await fetch(`${this.url}/api/deliveries?platform=apns${filter}`);
    // The sandbox documents this shape, and that of its summary.
    return ((await response.json()) as { deliveries: Delivery[] }).deliveries;
  }

  async #arrivals(): Promise<Arrivals> {
    const response = await fetch(`${this.url}/api/deliveries/summary`);
    const { apns } = (await response.json()) as {
      apns: Record<string, { attempts: number; distinct: number; duplicates: number }>;
    };
    const attempts = Object.values(apns).reduce((sum, counts) => sum + counts.attempts, 0);
    const shown = apns['200'];
    return { attempts, shown: shown?.distinct ?? 0, duplicates: shown?.duplicates ?? 0 };
  }
}

/** How many of `expected` were lost, shown twice or refused by the provider, together. */
export function amissAmong(expected: number, { attempts, shown, duplicates }: Arrivals): number {
  const refused = attempts - shown - duplicates;
  return duplicates + Math.abs(expected - shown) + refused;
}
