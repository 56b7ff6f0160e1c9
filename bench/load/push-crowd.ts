import { APP_ID, type BenchUser } from '../world/bench-world.js';
import { FormRequest } from './form-request.js';
import { inParallel } from './in-parallel.js';
import { countFaulty, SandboxInbox, type SandboxService } from './sandbox-inbox.js';
import { Counts, type Tally } from './tally.js';

/** An account, and the `Host` header of its organisation. */
export interface PushUser extends BenchUser {
  readonly host: string;
}

/** Accounts with one device each, and the sandbox that receives their notifications. */
export interface PushPlan {
  readonly port: number;
  readonly users: readonly PushUser[];
  readonly sandboxUrl: string;
  /** The endpoint that notifies them; by default that of test notifications in plain text. */
  readonly path?: string;
  /** The parameters of the request of each user, if it needs any. They are ASCII and URL-encoded. */
  readonly fields?: readonly string[];
  /** Where they arrive; by default at APNs. */
  readonly service?: SandboxService;
}

export const TEST_PATH = '/mobile_push/test_notification';
export const ENCRYPTED_TEST_PATH = '/mobile_push/e2ee/test_notification';
const REGISTRATION_PATH = '/users/me/apns_device_token';
const REGISTRATION_CONNECTIONS = 16;

/** Requests test notifications for the users in turn and waits for their arrival. */
export class PushCrowd {
  readonly #requests: readonly FormRequest[];
  readonly #inbox: SandboxInbox;
  #turn = 0;

  constructor(private readonly plan: PushPlan) {
    const { users, path = TEST_PATH } = plan;
    this.#requests = users.map((user) => new FormRequest(user.host, path, user));
    this.#inbox = new SandboxInbox(plan.sandboxUrl, plan.service);
  }

  /** Registers one iPhone per user over the API. */
  async register(tokens: readonly string[]): Promise<void> {
    const { users, port } = this.plan;
    const rest = users.entries();
    await inParallel(port, REGISTRATION_CONNECTIONS, async (connection) => {
      const { value: next } = rest.next();
      if (next === undefined) return false;
      const [index, user] = next;
      const request = new FormRequest(user.host, REGISTRATION_PATH, user);
      const fields = `token=${tokens[index]}&appid=${APP_ID}`;
      const { status, body } = await connection.exchange(request.with(fields));
      if (status !== 200) throw new Error(`A registration was answered with ${status}: ${body}`);
      return true;
    });
  }

  /**
   * Measures from the first request to the last arrival. A refused request counts as a wrong answer, and so does a
   * notification that is lost, shown twice or refused by the provider.
   */
  async send(connectionCount: number, notificationCount: number): Promise<Tally> {
    await this.#inbox.forget();
    const counts = new Counts();
    await this.#ask(counts, connectionCount, notificationCount);
    const { requests, wrongAnswers, firstWrongAnswer } = counts.tally();
    const arrivals = await this.#inbox.untilShown(requests - wrongAnswers);
    const { seconds } = counts.tally();
    const faulty = countFaulty(notificationCount, arrivals);
    const example = faulty === 0 ? null : `of ${notificationCount}: ${JSON.stringify(arrivals)}`;
    return {
      requests,
      seconds,
      changes: 0,
      wrongAnswers: Math.max(wrongAnswers, faulty),
      firstWrongAnswer: firstWrongAnswer ?? example,
    };
  }

  /** Requests notifications without waiting for their arrival. */
  async ask(connectionCount: number, notificationCount: number): Promise<Tally> {
    const counts = new Counts();
    await this.#ask(counts, connectionCount, notificationCount);
    return counts.tally();
  }

  async #ask(counts: Counts, connectionCount: number, notificationCount: number): Promise<void> {
    let left = notificationCount;
    await inParallel(this.plan.port, connectionCount, async (connection) => {
      if (left === 0) return false;
      left -= 1;
      const { status, body } = await connection.exchange(this.#next());
      if (isSuccess(status, body)) counts.addRight(0);
      else counts.addWrong(`${status} ${body}`);
      return true;
    });
  }

  #next(): string {
    const index = this.#turn % this.#requests.length;
    const request = this.#requests[index];
    this.#turn += 1;
    if (request === undefined) throw new Error('No user can be notified.');
    return request.with(this.plan.fields?.[index] ?? '');
  }
}

/** Whether a response reports success. */
export const isSuccess = (status: number, body: string): boolean =>
  status === 200 && body.includes('"success"');
