/** What the push sandbox stands in for. */
export type SandboxService = 'apns' | 'fcm' | 'web';

/** The notifications at one service of the push sandbox since its last reset. */
interface Arrivals {
  readonly attempts: number;
  readonly shown: number;
  readonly duplicates: number;
}

/** A notification that a phone has shown. */
interface Arrival {
  readonly token: string;
  /** UNIX milliseconds. */
  readonly at: number;
}

/** A request to APNs: the payload, and the headers without the credentials and the path. */
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

interface StatusCounts {
  readonly attempts: number;
  readonly distinct: number;
  readonly duplicates: number;
}

const POLL_MS = 10;
/**
 * After this time without an arrival, the missing notifications count as lost. The sweeper of the worker requeues
 * lost jobs from the database within about 20 seconds.
 */
const ARRIVAL_DEADLINE_MS = 40_000;

/** Reads the notifications that one service of the push sandbox has received. */
export class SandboxInbox {
  constructor(
    private readonly url: string,
    private readonly service: SandboxService = 'apns',
  ) {}

  async forget(): Promise<void> {
    await fetch(`${this.url}/api/deliveries`, { method: 'DELETE' });
  }

  /** Waits until this number of different notifications is shown, or until the rest counts as lost. */
  async untilShown(expected: number): Promise<Arrivals> {
    let arrivals = await this.arrivals();
    let changedAt = performance.now();
    while (arrivals.shown < expected && performance.now() - changedAt < ARRIVAL_DEADLINE_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      const next = await this.arrivals();
      if (next.shown > arrivals.shown) changedAt = performance.now();
      arrivals = next;
    }
    return arrivals;
  }

  /** The notifications on these phones, in the order of their arrival. */
  async shownOn(tokens: readonly string[]): Promise<Arrival[]> {
    const wanted = new Set(tokens);
    return (await this.#deliveries(''))
      .filter(({ token, status }) => isAccepted(status) && wanted.has(token))
      .map(({ token, received_at: seconds }) => ({ token, at: seconds * 1000 }));
  }

  /** What was lost and sent twice of one notification for each of so many phones. */
  async lossesOf(phones: number): Promise<{ lost: number; twice: number }> {
    return lossesIn(await this.#deliveries(''), phones);
  }

  /** The latest request; rejects while the inbox is empty. */
  async lastRequest(): Promise<SampleRequest> {
    const [last] = await this.#deliveries('&limit=1');
    if (last === undefined) throw new Error('The sandbox has received no request.');
    const headers = Object.entries(last.headers).filter(([name]) => name !== 'authorization');
    return { headers: Object.fromEntries(headers), payload: last.payload };
  }

  async #deliveries(filter: string): Promise<Delivery[]> {
    const response = await fetch(`${this.url}/api/deliveries?platform=${this.service}${filter}`);
    // The sandbox documents this format and that of its summary.
    return ((await response.json()) as { deliveries: Delivery[] }).deliveries;
  }

  async arrivals(): Promise<Arrivals> {
    const response = await fetch(`${this.url}/api/deliveries/summary`);
    const summary = (await response.json()) as Record<SandboxService, Record<string, StatusCounts>>;
    const counts = Object.entries(summary[this.service]);
    const attempts = counts.reduce((sum, [, one]) => sum + one.attempts, 0);
    const accepted = counts.filter(([status]) => isAccepted(Number(status)));
    const shown = accepted.reduce((sum, [, { distinct }]) => sum + distinct, 0);
    return {
      attempts,
      shown,
      duplicates: accepted.reduce((sum, [, { duplicates }]) => sum + duplicates, 0),
    };
  }
}

const isAccepted = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/**
 * Of so many phones with one notification each: those that got none, and the pushes that phones got beyond one. The ids of the
 * pushes do not count: a sender may give a repetition another one.
 */
export function lossesIn(
  deliveries: readonly Pick<Delivery, 'token' | 'status'>[],
  phones: number,
): { lost: number; twice: number } {
  const accepted = deliveries.filter(({ status }) => isAccepted(status));
  const reached = new Set(accepted.map(({ token }) => token)).size;
  return { lost: phones - reached, twice: accepted.length - reached };
}

/** The number of expected notifications that were lost, shown twice or refused by the provider. */
export function countFaulty(expected: number, { attempts, shown, duplicates }: Arrivals): number {
  const refused = attempts - shown - duplicates;
  return duplicates + Math.abs(expected - shown) + refused;
}
