import type { PresenceAnswer, PresenceRequest } from '#presence/rpc';
import { PresenceCounters } from '#presence/metrics';
import { RealmReplica, ServedRevisions } from '#presence/replica';
import type { PresenceEntry } from '#presence/rules';
import type { ViewLimits } from '../access-limits.js';
import { AnswerBuilder } from './answer-builder.js';
import { pollWith } from './poll.fixture.js';

export const NOW_MS = 1_800_000_000_000;

/** A user who changed that many milliseconds ago. */
export const seen = (userId: number, beforeMs = 0): PresenceEntry => {
  const at = Math.floor((NOW_MS - beforeMs) / 1000);
  return {
    userId,
    activeAt: at,
    idleAt: at,
    joinedAt: 1,
    hiddenAt: 0,
    isDeactivated: false,
    id: (NOW_MS - beforeMs) * 1000 - userId,
  };
};

export const people = (count: number, beforeMs = 0): PresenceEntry[] =>
  Array.from({ length: count }, (_, index) => seen(index + 1, beforeMs));

export const replicaOf = (entries: readonly PresenceEntry[]): RealmReplica =>
  RealmReplica.complete(
    { epoch: 1, top: Math.max(...entries.map(({ id }) => id)), chain: 1 },
    entries,
  );

export const parsed = (
  given: PresenceAnswer,
): { presences: object; presence_last_update_id: number } => JSON.parse(String(given));

export const usersIn = async (given: Promise<PresenceAnswer>): Promise<number[]> =>
  Object.keys(parsed(await given).presences).map(Number);

/** A realm with one more user than an answer for one viewer may have, and its answers. */
export class AnswerWorld {
  replica = replicaOf(people(101));
  /** Users whose addresses are not known yet. */
  unread: number[] = [];
  /** The domain of all addresses. */
  domain = 'x';
  /** The viewer's own change that the replica does not have yet. */
  ownEntry: PresenceEntry | undefined;
  clockMs = NOW_MS;
  readonly counters = new PresenceCounters();
  readonly #served = new ServedRevisions();
  readonly #directory = {
    get: (userId: number) =>
      this.unread.includes(userId)
        ? undefined
        : { userId, email: `u${userId}@${this.domain}`, isActive: true },
    isStillToRead: (userId: number) => this.unread.includes(userId),
  };
  /** A timer advances the clock and ends at once. */
  #runLater = (run: () => void, ms: number): void => {
    this.clockMs += ms;
    run();
  };
  readonly #sut = new AnswerBuilder(
    this.counters,
    () => this.clockMs,
    (run, ms) => this.#runLater(run, ms),
  );

  /** Adds the timers from now on to the result. Does not advance the clock. */
  holdTimers(): readonly (() => void)[] {
    const timers: (() => void)[] = [];
    this.#runLater = (run) => void timers.push(run);
    return timers;
  }

  async answer(
    different: Partial<PresenceRequest> = {},
    nowMs = NOW_MS,
    limits: ViewLimits | null = null,
  ): Promise<PresenceAnswer> {
    this.clockMs = nowMs;
    const realm = {
      caughtUpReplica: async () => this.replica,
      unappliedChange: () => this.ownEntry,
      served: this.#served,
    };
    return this.#sut.build(pollWith(different), { realm, directory: this.#directory, limits });
  }

  /** Applies the next change to the replica. */
  apply(entry: PresenceEntry): void {
    const [previousId, id] = [this.replica.position, this.replica.position + 1];
    this.replica.apply({ entry: { ...entry, id }, previousId, previousChain: 1, chain: 1 });
  }

  /** Publishes a change of a user now. */
  change(userId: number): void {
    this.apply({ ...seen(userId), idleAt: this.replica.position + 1 });
  }

  /** Publishes the deactivation of a user. */
  deactivate(userId: number): void {
    this.apply({ ...seen(userId), isDeactivated: true });
  }
}
