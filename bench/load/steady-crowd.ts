import { setTimeout as delay } from 'node:timers/promises';
import { type OnlineUser, updateIdAt } from '../world/steady-realms.js';
import type { Answer } from './http-connection.js';
import type { Poll, PollCarrier } from './poll-carrier.js';
import { SteadyAnswers } from './steady-answers.js';
import { Counts, type Extent, type Tally } from './tally.js';

/** The clients of one server. */
export interface SteadyCrowdPlan {
  /** In the order of their polls, which are evenly distributed. */
  readonly users: readonly OnlineUser[];
  readonly pollSeconds: number;
  /** The age of the cursors. */
  readonly cursorSeconds: number;
  /** The scheduled time of the first poll, in UNIX milliseconds. */
  readonly startsAt: number;
  /** The number of entries in the response to a poll on schedule. */
  readonly entries: number;
}

/** An answered poll with a schedule. */
export interface TimedPoll {
  /** The scheduled time, in UNIX milliseconds. */
  readonly dueAt: number;
  /** The time from `dueAt` to the response. */
  readonly latencyMs: number;
  readonly isEmpty: boolean;
}

/** The result of a load. */
export interface SteadyTally extends Tally {
  /** The average of the responses that were read. */
  readonly entriesPerAnswer: number;
  readonly bytesPerAnswer: number;
}

export interface TimedRun {
  readonly polls: readonly TimedPoll[];
  readonly tally: SteadyTally;
}

/** The number of polls with an empty response. */
export const emptyAmong = ({ polls }: TimedRun): number =>
  polls.filter(({ isEmpty }) => isEmpty).length;

/** The request of a poll: the changes since the last poll, or no entries. */
export type Asked = 'changes' | 'nothing';

interface Member {
  readonly user: OnlineUser;
  /** The scheduled time of the next poll, in UNIX milliseconds. */
  dueAt: number;
}

/** The maximum number of polls in flight. Over HTTP each has its own connection. */
const TIMED_CONNECTIONS = 256;
/** The random variation of cursors, as a share of their age. */
const UNEVENNESS = 1 / 30;
const WRONG_BODY_LENGTH = 200;

/**
 * Users who poll periodically and request the changes since their last poll. Update ids contain the time, so the
 * cursor of a poll is the time of the previous one.
 */
export class SteadyCrowd {
  readonly #members: readonly Member[];
  #turn = 0;

  constructor(
    private readonly plan: SteadyCrowdPlan,
    /** Opens a connection for this number of concurrent polls. */
    private readonly open: (connections: number) => Promise<PollCarrier>,
  ) {
    const { users, pollSeconds, startsAt } = plan;
    const turnMs = (pollSeconds * 1000) / users.length;
    this.#members = users.map((user, index) => ({ user, dueAt: startsAt + index * turnMs }));
  }

  /** Polls as random users with recent reports and cursors of about the planned age. */
  async poll(connections: number, extent: Extent): Promise<SteadyTally> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const endsAt = performance.now() + (extent.seconds ?? Infinity) * 1000;
    let left = extent.requests ?? Infinity;
    await this.#over(connections, async (carrier) => {
      const pollRepeatedly = async (): Promise<void> => {
        while (left > 0 && performance.now() < endsAt) {
          left -= 1;
          await this.#pollAsRandomUser(carrier, answers, counts);
        }
      };
      await Promise.all(Array.from({ length: connections }, pollRepeatedly));
    });
    return tallyOf(counts, answers);
  }

  /**
   * Like `poll`, but at a constant rate that is independent of the responses. A slow server therefore cannot reduce
   * the load and hide its delay.
   */
  async pollAtPace(perSecond: number, seconds: number): Promise<TimedRun> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const polls: TimedPoll[] = [];
    await this.#over(TIMED_CONNECTIONS, async (carrier) => {
      const startedAt = nowMs();
      const pollAt = async (dueAt: number) => {
        const answer = await this.#pollAsRandomUser(carrier, answers, counts);
        polls.push({ dueAt, latencyMs: nowMs() - dueAt, isEmpty: answers.isEmpty(answer) });
      };
      const pending: Promise<void>[] = [];
      for (let turn = 0; turn < perSecond * seconds; turn += 1) {
        const dueAt = startedAt + (turn * 1000) / perSecond;
        await until(dueAt);
        pending.push(pollAt(dueAt));
      }
      await Promise.all(pending);
    });
    return { polls, tally: tallyOf(counts, answers) };
  }

  /**
   * Polls as each user on schedule, independent of the responses, until `isOver`. Overdue polls are sent at once. Polls
   * that were due before the start are not part of the result.
   */
  async pollInTurn(asked: Asked, isOver: () => boolean): Promise<TimedRun> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const polls: TimedPoll[] = [];
    await this.#over(TIMED_CONNECTIONS, async (carrier) => {
      const startedAt = nowMs();
      const pollAs = async ({ user }: Member, dueAt: number) => {
        const poll = this.#pollOf(user, asked, 1);
        const answer = await carrier.exchange(poll);
        const isEmpty = answers.isEmpty(answer);
        const isRight = isEmpty ? answer.status === 200 : this.#isRight(answers, answer, poll);
        if (isRight) counts.addRight(0);
        else counts.addWrong(wrong(poll, answer));
        if (dueAt >= startedAt) polls.push({ dueAt, latencyMs: nowMs() - dueAt, isEmpty });
      };
      const pending: Promise<void>[] = [];
      while (!isOver()) {
        const member = this.#next();
        const { dueAt } = member;
        await until(dueAt);
        member.dueAt += this.plan.pollSeconds * 1000;
        pending.push(pollAs(member, dueAt).catch((error) => counts.addWrong(String(error))));
      }
      await Promise.all(pending);
    });
    return { polls, tally: tallyOf(counts, answers) };
  }

  async #over(connections: number, work: (carrier: PollCarrier) => Promise<void>): Promise<void> {
    const carrier = await this.open(connections);
    try {
      await work(carrier);
    } finally {
      carrier.close();
    }
  }

  async #pollAsRandomUser(
    carrier: PollCarrier,
    answers: SteadyAnswers,
    counts: Counts,
  ): Promise<Answer> {
    const poll = this.#pollOf(this.#randomUser(), 'changes', 1 + Math.random() * UNEVENNESS);
    const answer = await carrier.exchange(poll);
    if (this.#isRight(answers, answer, poll)) counts.addRight(0);
    else counts.addWrong(wrong(poll, answer));
    return answer;
  }

  #pollOf(user: OnlineUser, asked: Asked, ageFactor: number): Poll {
    const cursor = updateIdAt(Date.now() - ageFactor * this.plan.cursorSeconds * 1000);
    return { user, cursor, pingOnly: asked === 'nothing' };
  }

  #isRight(answers: SteadyAnswers, answer: Answer, { cursor }: Poll): boolean {
    const { entries, cursorSeconds } = this.plan;
    const now = Date.now();
    // A late response contains more changes.
    const lateness = (updateIdAt(now) - cursor) / updateIdAt(cursorSeconds * 1000);
    const most = entries === 0 ? 0 : entries * Math.max(1, lateness);
    return answers.isRight(answer, { cursor, fewest: entries, most }, now);
  }

  /** A user from the half that has polled last: a report of another user would be due and change the entry. */
  #randomUser(): OnlineUser {
    const { length } = this.#members;
    const turnsAgo = 1 + Math.floor((Math.random() * length) / 2);
    return this.#memberAt((this.#turn - turnsAgo + length) % length).user;
  }

  #next(): Member {
    const member = this.#memberAt(this.#turn);
    this.#turn = (this.#turn + 1) % this.#members.length;
    return member;
  }

  #memberAt(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error('No member can poll.');
    return member;
  }
}

/** UNIX milliseconds with fractions. */
const nowMs = (): number => performance.timeOrigin + performance.now();

async function until(moment: number): Promise<void> {
  const early = moment - nowMs();
  if (early > 0) await delay(early);
}

const wrong = ({ cursor }: Poll, { status, body, isGzip }: Answer): string =>
  `cursor ${cursor} -> ${status} ${isGzip ? `${body.length} bytes of gzip` : body.slice(0, WRONG_BODY_LENGTH)}`;

function tallyOf(counts: Counts, answers: SteadyAnswers): SteadyTally {
  const { entries, bytes } = answers.average;
  return { ...counts.tally(), entriesPerAnswer: entries, bytesPerAnswer: bytes };
}
