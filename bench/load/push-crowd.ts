import { APP_ID, type BenchUser } from '../world/bench-world.js';
import { FormRequest } from './form-request.js';
import { inParallel } from './in-parallel.js';
import { Counts, type Tally } from './tally.js';

/** Accounts with one device each, and where their notifications arrive. */
export interface PushPlan {
  readonly port: number;
  readonly host: string;
  readonly users: readonly BenchUser[];
  readonly sandboxUrl: string;
}

interface Arrivals {
  readonly attempts: number;
  readonly shown: number;
  readonly duplicates: number;
}

const REGISTRATION_PATH = '/users/me/apns_device_token';
const REGISTRATION_CONNECTIONS = 16;
const TEST_PATH = '/mobile_push/test_notification';
const LOOK_EVERY_MS = 10;
/**
 * Without a single arrival for so long, the rest is taken for lost. What a stalled queue did not take is
 * picked up from the database by the worker's sweeper, within some 20 seconds.
 */
const PATIENCE_MS = 40_000;

/** Asks for test notifications, one user after another, and waits until all have arrived. */
export class PushCrowd {
  readonly #requests: readonly FormRequest[];
  #turn = 0;

  constructor(private readonly plan: PushPlan) {
    this.#requests = plan.users.map((user) => new FormRequest(plan.host, TEST_PATH, user));
  }

  /** Registers one iPhone for each user, over the API. */
  async register(tokens: readonly string[]): Promise<void> {
    const { host, users, port } = this.plan;
    const rest = users.entries();
    await inParallel(port, REGISTRATION_CONNECTIONS, async (connection) => {
      const { value: next } = rest.next();
      if (next === undefined) return false;
      const [index, user] = next;
      const request = new FormRequest(host, REGISTRATION_PATH, user);
      const fields = `token=${tokens[index]}&appid=${APP_ID}`;
      const { status, body } = await connection.exchange(request.with(fields));
      if (status !== 200) throw new Error(`A registration was answered with ${status}: ${body}`);
      return true;
    });
  }

  /**
   * The time runs from the first request to the last arrival. A refused request counts as a wrong
   * answer, and so does a notification that was lost, shown twice or refused by the provider.
   */
  async send(connectionCount: number, notificationCount: number): Promise<Tally> {
    await fetch(`${this.plan.sandboxUrl}/api/deliveries`, { method: 'DELETE' });
    const counts = new Counts();
    let left = notificationCount;
    await inParallel(this.plan.port, connectionCount, async (connection) => {
      if (left === 0) return false;
      left -= 1;
      const { status, body } = await connection.exchange(this.#next());
      if (status === 200 && body.includes('"success"')) counts.addRight(0);
      else counts.addWrong(`${status} ${body}`);
      return true;
    });
    const { requests, wrongAnswers, firstWrongAnswer } = counts.tally();
    const arrivals = await this.#untilArrived(requests - wrongAnswers);
    const { seconds } = counts.tally();
    const amiss =
      arrivals.duplicates + Math.abs(notificationCount - arrivals.shown) + refusedOf(arrivals);
    const example = amiss === 0 ? null : `of ${notificationCount}: ${JSON.stringify(arrivals)}`;
    return {
      requests,
      seconds,
      changes: 0,
      wrongAnswers: Math.max(wrongAnswers, amiss),
      firstWrongAnswer: firstWrongAnswer ?? example,
    };
  }

  #next(): string {
    const request = this.#requests[this.#turn % this.#requests.length];
    this.#turn += 1;
    if (request === undefined) throw new Error('Nobody is there to be notified.');
    return request.with('');
  }

  async #untilArrived(expected: number): Promise<Arrivals> {
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

  async #arrivals(): Promise<Arrivals> {
    const response = await fetch(`${this.plan.sandboxUrl}/api/deliveries/summary`);
    // The sandbox documents this shape.
    const { apns } = (await response.json()) as {
      apns: Record<string, { attempts: number; distinct: number; duplicates: number }>;
    };
    const attempts = Object.values(apns).reduce((sum, counts) => sum + counts.attempts, 0);
    const shown = apns['200'];
    return { attempts, shown: shown?.distinct ?? 0, duplicates: shown?.duplicates ?? 0 };
  }
}

const refusedOf = ({ attempts, shown, duplicates }: Arrivals): number =>
  attempts - shown - duplicates;
