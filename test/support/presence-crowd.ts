import type { PresenceRuntime } from '#presence/server';
import type { SeededRandom } from './seeded-random.js';
import type { PresenceRealm } from './presence-realm.js';
import type { ExpectedPresence } from './presence-expected-state.js';
import { PresenceViewer } from './presence-viewer.js';

/** The share of viewers who always poll; the others keep old cursors. */
const BUSY_SHARE = 0.7;
const TOGGLING_SHARE = 0.1;
const USERS_PER_MOMENT = 10;
/** The share of polls without a cursor. */
const NEW_SHARE = 0.01;

/** Users who report and poll at any of several presence processes. */
export class PresenceCrowd {
  readonly viewers: readonly PresenceViewer[];
  readonly #busy: ReadonlySet<PresenceViewer>;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly realm: PresenceRealm,
    private readonly users: readonly number[],
    readonly expected: ExpectedPresence,
    viewers: number,
    private readonly random: SeededRandom,
  ) {
    this.viewers = Array.from(
      { length: viewers },
      (_, index) => new PresenceViewer(users[index % users.length] ?? 0),
    );
    this.#busy = new Set(this.viewers.slice(0, viewers * BUSY_SHARE));
  }

  /** A user of the realm. */
  get anybody(): number {
    return this.users[0] ?? 0;
  }

  /** The number of steps in which all users report once. */
  get moments(): number {
    return Math.ceil(this.users.length / USERS_PER_MOMENT);
  }

  /** Whether a viewer polls in every round. */
  isBusy(viewer: PresenceViewer): boolean {
    return this.#busy.has(viewer);
  }

  get receivedEntries(): number {
    return this.viewers.reduce((sum, { receivedEntries }) => sum + receivedEntries, 0);
  }

  /** All users report and most poll, in random order; `beforeStep` is called before each step. */
  async liveOn(
    processes: readonly PresenceRuntime[],
    beforeStep: (step: number) => Promise<void>,
  ): Promise<void> {
    const reporters = this.random.shuffled(this.users);
    const polling = this.random.shuffled([...this.#busy]);
    const pollsPerMoment = Math.ceil(polling.length / this.moments);
    for (let moment = 0; moment < this.moments; moment += 1) {
      await beforeStep(moment);
      for (const userId of reporters.splice(0, USERS_PER_MOMENT)) this.#act(userId, processes);
      for (const viewer of polling.splice(0, pollsPerMoment)) {
        if (this.random.next() < NEW_SHARE) viewer.reset();
        await this.look(viewer, this.random.pick(processes));
      }
    }
  }

  /** Resolves when all reports are answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  look(viewer: PresenceViewer, { service }: PresenceRuntime): Promise<void> {
    return viewer.poll(service, (cursor) => this.realm.poll(viewer.userId, cursor));
  }

  #act(userId: number, processes: readonly PresenceRuntime[]): void {
    const isActive = this.random.next() < 0.7;
    // A user who goes invisible stays with one process, as at a gateway: the change must not overtake earlier reports.
    const isToggling = this.users.indexOf(userId) < this.users.length * TOGGLING_SHARE;
    const process = isToggling ? processes[userId % processes.length] : this.random.pick(processes);
    const act =
      isToggling && this.random.next() < 0.3
        ? process?.service.changeVisibility(this.expected.toggle(userId))
        : process?.service.report(this.expected.report(userId, isActive));
    const done = Promise.resolve(act).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}
