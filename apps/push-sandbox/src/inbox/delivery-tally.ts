import { hash } from 'node:crypto';
import { comparableToken, type SandboxPlatform } from '../provider/platform.js';
import { type Attempt, isAccepted, type Outcome } from './delivery.js';

/** The counts of one platform and status. */
interface TallyCounts {
  readonly attempts: number;
  readonly distinct: number;
  /** How often a phone showed a notification again. */
  readonly duplicates: number;
}

export type TallySummary = Readonly<Record<SandboxPlatform, Readonly<Record<string, TallyCounts>>>>;

interface Count {
  attempts: number;
  readonly identities: Set<string>;
}

/**
 * Counts all attempts, also those that the list of deliveries has removed. A notification is identified by 22
 * characters of a hash, so that a million take about 100 MB.
 */
export class DeliveryTally {
  readonly #counts: Record<SandboxPlatform, Map<string, Count>> = {
    apns: new Map(),
    fcm: new Map(),
    web: new Map(),
  };

  count(
    attempt: Pick<Attempt, 'platform' | 'token' | 'identity'>,
    { status }: Pick<Outcome, 'status'>,
  ): void {
    const counts = this.#counts[attempt.platform];
    const key = status === null ? 'unanswered' : String(status);
    let count = counts.get(key);
    if (count === undefined) {
      count = { attempts: 0, identities: new Set() };
      counts.set(key, count);
    }
    count.attempts += 1;
    const device = comparableToken(attempt.platform, attempt.token);
    const notification = hash('sha256', `${device}\n${attempt.identity}`, 'base64url');
    count.identities.add(notification.slice(0, 22));
  }

  clear(): void {
    for (const counts of Object.values(this.#counts)) counts.clear();
  }

  summary(): TallySummary {
    const { apns, fcm, web } = this.#counts;
    return { apns: summaryOf(apns), fcm: summaryOf(fcm), web: summaryOf(web) };
  }
}

function summaryOf(counts: ReadonlyMap<string, Count>): Record<string, TallyCounts> {
  return Object.fromEntries(
    Array.from(counts, ([status, { attempts, identities }]) => {
      const distinct = identities.size;
      return [
        status,
        { attempts, distinct, duplicates: isAccepted(Number(status)) ? attempts - distinct : 0 },
      ];
    }),
  );
}
