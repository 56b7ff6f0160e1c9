import { setTimeout as delay } from 'node:timers/promises';
import { type OnlineUser, updateIdAt } from '../world/steady-realms.js';
import { ConnectionPool } from './connection-pool.js';
import { FormRequest } from './form-request.js';
import type { Answer } from './http-connection.js';
import { inParallel } from './in-parallel.js';
import { SteadyAnswers } from './steady-answers.js';
import { Counts, type Extent, type Tally } from './tally.js';

/** The clients of one server. */
export interface SteadyCrowdPlan {
  readonly port: number;
  /** In the order of their polls, which are evenly spread. */
  readonly users: readonly OnlineUser[];
  readonly pollSeconds: number;
  /** How old the cursors are. */
  readonly cursorSeconds: number;
  /** When the first polls are due, in UNIX milliseconds. */
  readonly startsAt: number;
  /** How many entries an answer to a poll of now has. */
  readonly entries: number;
}

/** A poll at its time that was answered. */
export interface TimedPoll {
  /** In UNIX milliseconds. */
  readonly dueAt: number;
  /** From then to its answer. */
  readonly latencyMs: number;
  readonly isEmpty: boolean;
}

/** What became of a load. */
export interface SteadyTally extends Tally {
  /** In the answers that were read. */
  readonly entriesPerAnswer: number;
  readonly bytesPerEntry: number;
}

export interface TimedRun {
  readonly polls: readonly TimedPoll[];
  readonly tally: SteadyTally;
}

/** How many polls of a run were answered without entries. */
export const emptyAmong = ({ polls }: TimedRun): number =>
  polls.filter(({ isEmpty }) => isEmpty).length;

/** What is asked for: everything since the last poll, or no entries at all. */
export type Asked = 'changes' | 'nothing';

interface Member {
  readonly request: FormRequest;
  /** When the next poll is due, in UNIX milliseconds. */
  dueAt: number;
}

const PATH = '/users/me/presence';
const ACCEPTS = ['Accept-Encoding: gzip'];
const SIGN_IN_CONNECTIONS = 32;
/** The clients with an answer under way, at most; each has a connection of its own. */
const TIMED_CONNECTIONS = 256;
/** Cursors of random users differ by this part of their age. */
const UNEVENNESS = 1 / 30;
const WRONG_BODY_LENGTH = 200;

/**
 * People of whom each polls once in a while and asks for what has changed since. A cursor is the time of the
 * poll before, as the update ids tell time.
 */
export class SteadyCrowd {
  readonly #members: readonly Member[];
  #turn = 0;

  constructor(private readonly plan: SteadyCrowdPlan) {
    const { users, pollSeconds, startsAt } = plan;
    const turnMs = (pollSeconds * 1000) / users.length;
    this.#members = users.map((user, index) => ({
      request: new FormRequest(user.host, PATH, user, ACCEPTS),
      dueAt: startsAt + index * turnMs,
    }));
  }

  /** Polls as random users who have reported lately, with cursors of about the age planned. */
  async poll(connectionCount: number, extent: Extent): Promise<SteadyTally> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const endsAt = performance.now() + (extent.seconds ?? Infinity) * 1000;
    let left = extent.requests ?? Infinity;
    await inParallel(this.plan.port, connectionCount, async (connection) => {
      if (left === 0 || performance.now() >= endsAt) return false;
      left -= 1;
      const { fields, cursor } = this.#ask('changes', 1 + Math.random() * UNEVENNESS);
      const { request } = this.#anybody();
      const answer = await connection.exchange(request.with(fields));
      const isRight = answers.isRight(answer, this.#expected(cursor), Date.now());
      if (isRight) counts.addRight(0);
      else counts.addWrong(wrong(fields, answer));
      return true;
    });
    return tallyOf(counts, answers);
  }

  /**
   * Polls as each user when their turn has come, whether or not those before are answered, and as fast as it
   * goes to catch up; what was due before it began is not told. Goes on until `isOver`.
   */
  async pollInTurn(asked: Asked, isOver: () => boolean): Promise<TimedRun> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const polls: TimedPoll[] = [];
    const pool = await ConnectionPool.open(this.plan.port, TIMED_CONNECTIONS);
    const startedAt = Date.now();
    const pollAs = async ({ request }: Member, dueAt: number) => {
      const { fields, cursor } = this.#ask(asked, 1);
      const answer = await pool.exchange(request.with(fields));
      const now = Date.now();
      const isEmpty = answers.isEmpty(answer);
      if (isEmpty ? answer.status === 200 : answers.isRight(answer, this.#expected(cursor), now)) {
        counts.addRight(0);
      } else counts.addWrong(wrong(fields, answer));
      if (dueAt >= startedAt) polls.push({ dueAt, latencyMs: now - dueAt, isEmpty });
    };
    const pending: Promise<void>[] = [];
    while (!isOver()) {
      const member = this.#next();
      const { dueAt } = member;
      const early = dueAt - Date.now();
      if (early > 0) await delay(early);
      member.dueAt += this.plan.pollSeconds * 1000;
      pending.push(pollAs(member, dueAt).catch((error) => counts.addWrong(String(error))));
    }
    await Promise.all(pending);
    pool.close();
    return { polls, tally: tallyOf(counts, answers) };
  }

  /** Has everybody sign in without a report: a status that there is none of is refused after that. */
  async signIn(): Promise<void> {
    const rest = this.#members.values();
    await inParallel(this.plan.port, SIGN_IN_CONNECTIONS, async (connection) => {
      const { value: member } = rest.next();
      if (member === undefined) return false;
      const { status, body } = await connection.exchange(member.request.with('status=none'));
      if (status !== 400) throw new Error(`A sign-in was answered with ${status}: ${body}`);
      return true;
    });
  }

  #ask(asked: Asked, ageFactor: number) {
    const cursor = updateIdAt(Date.now() - ageFactor * this.plan.cursorSeconds * 1000);
    const fields = `status=active&last_update_id=${cursor}`;
    return { fields: asked === 'nothing' ? `${fields}&ping_only=true` : fields, cursor };
  }

  #expected(cursor: number) {
    return { cursor, entries: this.plan.entries };
  }

  /** One of the half who had their turn last: the reports of the others would be early, and change something. */
  #anybody(): Member {
    const { length } = this.#members;
    const turnsAgo = 1 + Math.floor((Math.random() * length) / 2);
    return this.#memberAt((this.#turn - turnsAgo + length) % length);
  }

  #next(): Member {
    const member = this.#memberAt(this.#turn);
    this.#turn = (this.#turn + 1) % this.#members.length;
    return member;
  }

  #memberAt(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error('Nobody is there to poll.');
    return member;
  }
}

const wrong = (fields: string, { status, body }: Answer): string =>
  `${fields} -> ${status} ${body.slice(0, WRONG_BODY_LENGTH)}`;

function tallyOf(counts: Counts, answers: SteadyAnswers): SteadyTally {
  const { entries, bytesPerEntry } = answers.average;
  return { ...counts.tally(), entriesPerAnswer: entries, bytesPerEntry };
}
