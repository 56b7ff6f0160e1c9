import { setTimeout as delay } from 'node:timers/promises';
import { type OnlineUser, updateIdAt } from '../world/steady-realms.js';
import type { Answer } from './http-connection.js';
import type { Poll, PollCarrier } from './poll-carrier.js';
import { SteadyAnswers } from './steady-answers.js';
import { Counts, type Extent, type Tally } from './tally.js';

/** The clients of one server. */
export interface SteadyCrowdPlan {
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
  readonly bytesPerAnswer: number;
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
  readonly user: OnlineUser;
  /** When the next poll is due, in UNIX milliseconds. */
  dueAt: number;
}

/** The clients with an answer under way, at most; over HTTP each has a connection of its own. */
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

  constructor(
    private readonly plan: SteadyCrowdPlan,
    /** Opens a way to the server that takes so many polls at a time. */
    private readonly open: (connections: number) => Promise<PollCarrier>,
  ) {
    const { users, pollSeconds, startsAt } = plan;
    const turnMs = (pollSeconds * 1000) / users.length;
    this.#members = users.map((user, index) => ({ user, dueAt: startsAt + index * turnMs }));
  }

  /** Polls as random users who have reported lately, with cursors of about the age planned. */
  async poll(connections: number, extent: Extent): Promise<SteadyTally> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const endsAt = performance.now() + (extent.seconds ?? Infinity) * 1000;
    let left = extent.requests ?? Infinity;
    await this.#over(connections, async (carrier) => {
      const pollOnAndOn = async (): Promise<void> => {
        while (left > 0 && performance.now() < endsAt) {
          left -= 1;
          await this.#pollAsAnybody(carrier, answers, counts);
        }
      };
      await Promise.all(Array.from({ length: connections }, pollOnAndOn));
    });
    return tallyOf(counts, answers);
  }

  /**
   * Polls as `poll` does, but so many times a second, whether or not those before are answered: what a server holds
   * up cannot hide behind polls that were never made.
   */
  async pollAtPace(perSecond: number, seconds: number): Promise<TimedRun> {
    const counts = new Counts();
    const answers = new SteadyAnswers();
    const polls: TimedPoll[] = [];
    await this.#over(TIMED_CONNECTIONS, async (carrier) => {
      const startedAt = nowMs();
      const pollAt = async (dueAt: number) => {
        const answer = await this.#pollAsAnybody(carrier, answers, counts);
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
   * Polls as each user when their turn has come, whether or not those before are answered, and as fast as it
   * goes to catch up; what was due before it began is not told. Goes on until `isOver`.
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

  async #pollAsAnybody(
    carrier: PollCarrier,
    answers: SteadyAnswers,
    counts: Counts,
  ): Promise<Answer> {
    const poll = this.#pollOf(this.#anybody(), 'changes', 1 + Math.random() * UNEVENNESS);
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
    // While an answer is late more changes come to be in it.
    const lateness = (updateIdAt(now) - cursor) / updateIdAt(cursorSeconds * 1000);
    const most = entries === 0 ? 0 : entries * Math.max(1, lateness);
    return answers.isRight(answer, { cursor, fewest: entries, most }, now);
  }

  /** One of the half who had their turn last: the reports of the others would be early, and change something. */
  #anybody(): OnlineUser {
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
    if (member === undefined) throw new Error('Nobody is there to poll.');
    return member;
  }
}

/** UNIX milliseconds, with their fractions. */
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
