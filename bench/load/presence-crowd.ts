import type { BenchUser } from '../world/bench-world.js';
import { FormRequest } from './form-request.js';
import type { HttpConnection } from './http-connection.js';
import { inParallel } from './in-parallel.js';
import { readPollAnswer } from './presence-answer.rules.js';
import { Counts, type Extent, type Tally } from './tally.js';

/** The clients of one organisation at one server. */
export interface CrowdPlan {
  readonly port: number;
  readonly host: string;
  /** The users who are online and poll. */
  readonly users: readonly BenchUser[];
  /** The users who come online during the load, one after another. */
  readonly newcomers: readonly BenchUser[];
  /** One of this many requests comes from a newcomer. */
  readonly requestsPerNewcomer: number;
}

interface Member {
  readonly userId: string;
  readonly request: FormRequest;
  cursor: number;
  /** The users in the responses to this member; null for members that are not watched. */
  readonly seen: Set<string> | null;
}

const PATH = '/users/me/presence';
const WATCHED_MEMBERS = 50;
const PRIMING_CONNECTIONS = 16;
const FULL_PICTURE_ATTEMPTS = 200;

/**
 * Polls as the users of an organisation, each with its latest cursor. Every response is checked. A few watched users
 * record the users in their responses, so that a skipped change is detected.
 */
export class PresenceCrowd {
  readonly #members: readonly Member[];
  readonly #newcomers: readonly Member[];
  #arrived = 0;
  #turn = 0;
  #newestCursor = -1;

  constructor(private readonly plan: CrowdPlan) {
    const memberOf = (user: BenchUser, isWatched: boolean): Member => ({
      userId: String(user.userId),
      request: new FormRequest(plan.host, PATH, user),
      cursor: -1,
      seen: isWatched ? new Set() : null,
    });
    this.#members = plan.users.map((user, index) => memberOf(user, index < WATCHED_MEMBERS));
    this.#newcomers = plan.newcomers.map((user) => memberOf(user, false));
  }

  /** Signs in every user without a report: the server refuses an unknown status only after the sign-in. */
  async signIn(): Promise<void> {
    await this.#each([...this.#members, ...this.#newcomers], async (member, connection) => {
      const { status, body } = await connection.exchange(member.request.with('status=none'));
      if (status !== 400) throw new Error(`A sign-in was answered with ${status}: ${body}`);
    });
  }

  /** Brings the users online and gives all of them the current cursor. */
  async prime(): Promise<void> {
    await this.#each(this.#members, async (member, connection) => {
      const report = member.request.with('status=active&ping_only=true');
      const { status, body } = await connection.exchange(report);
      if (status !== 200) throw new Error(`A report was answered with ${status}: ${body}`);
    });
    this.#newestCursor = await this.#fetchFullPicture();
    for (const member of this.#members) member.cursor = this.#newestCursor;
  }

  /** Polls as random users. */
  async poll(connectionCount: number, extent: Extent): Promise<Tally> {
    const counts = new Counts();
    const endsAt = performance.now() + (extent.seconds ?? Infinity) * 1000;
    let left = extent.requests ?? Infinity;
    await inParallel(this.plan.port, connectionCount, async (connection) => {
      if (left === 0 || performance.now() >= endsAt) return false;
      left -= 1;
      await this.#pollOnce(this.#next(), connection, counts);
      return true;
    });
    return counts.tally();
  }

  /**
   * The number of missing newcomers over all watched users. Each watched user first polls until there are no more
   * changes, because a server may lag a little.
   */
  async countSkippedChanges(): Promise<number> {
    const watched = this.#members.filter(({ seen }) => seen !== null);
    const counts = new Counts();
    await this.#each(watched, async (member, connection) => {
      while ((await this.#pollOnce(member, connection, counts)) > 0);
    });
    const arrived = this.#newcomers.slice(0, this.#arrived);
    return watched.reduce(
      (sum, { seen }) => sum + arrived.filter(({ userId }) => !seen?.has(userId)).length,
      counts.tally().wrongAnswers,
    );
  }

  #next(): Member {
    this.#turn += 1;
    const newcomer = this.#newcomers[this.#arrived];
    if (newcomer !== undefined && this.#turn % this.plan.requestsPerNewcomer === 0) {
      this.#arrived += 1;
      newcomer.cursor = this.#newestCursor;
      return newcomer;
    }
    const member = this.#members[Math.floor(Math.random() * this.#members.length)];
    if (member === undefined) throw new Error('No member can poll.');
    return member;
  }

  /** Resolves with the number of changes in the response. */
  async #pollOnce(member: Member, connection: HttpConnection, counts: Counts): Promise<number> {
    const { cursor } = member;
    const fields = `status=active&last_update_id=${cursor}`;
    const answer = await connection.exchange(member.request.with(fields));
    const result = readPollAnswer(answer, cursor, Date.now() / 1000);
    if (result === null) {
      counts.addWrong(`${fields} -> ${answer.status} ${answer.body}`);
      return 0;
    }
    counts.addRight(result.users.length);
    // Two polls of one user may overlap; the cursor of a client never goes back.
    member.cursor = Math.max(member.cursor, result.cursor);
    this.#newestCursor = Math.max(this.#newestCursor, result.cursor);
    for (const user of result.users) member.seen?.add(user);
    return result.users.length;
  }

  /** Requests all entries until they include all users; resolves with the cursor of that response. */
  async #fetchFullPicture(): Promise<number> {
    const [asker] = this.#members;
    if (asker === undefined) return -1;
    let result = readPollAnswer({ status: 0, body: '' }, 0, 0);
    let attempts = 0;
    await inParallel(this.plan.port, 1, async (connection) => {
      const answer = await connection.exchange(
        asker.request.with('status=active&last_update_id=-1'),
      );
      result = readPollAnswer(answer, -1, Date.now() / 1000);
      attempts += 1;
      return result?.users.length !== this.#members.length && attempts < FULL_PICTURE_ATTEMPTS;
    });
    if (result?.users.length === this.#members.length) return result.cursor;
    throw new Error(`Of ${this.#members.length} users ${result?.users.length ?? 0} are online.`);
  }

  async #each(
    members: readonly Member[],
    work: (member: Member, connection: HttpConnection) => Promise<void>,
  ): Promise<void> {
    const rest = members.values();
    await inParallel(this.plan.port, PRIMING_CONNECTIONS, async (connection) => {
      const { value: member } = rest.next();
      if (member !== undefined) await work(member, connection);
      return member !== undefined;
    });
  }
}
