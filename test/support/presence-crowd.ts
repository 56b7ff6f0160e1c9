import type { PresenceRuntime } from '#presence';
import type { Dice } from './dice.js';
import type { PresenceRealm } from './presence-realm.js';
import type { PresenceTruth } from './presence-truth.js';
import { PresenceViewer } from './presence-viewer.js';

/** So many viewers poll at every opportunity; the others hold their cursors for long. */
const BUSY_SHARE = 0.7;
const TOGGLING_SHARE = 0.1;
const USERS_PER_MOMENT = 10;
/** How many times a viewer in so many polls is one that begins anew. */
const NEW_SHARE = 0.01;

/** People who report and look at each other by any of several presence processes. */
export class PresenceCrowd {
  readonly viewers: readonly PresenceViewer[];
  readonly #busy: ReadonlySet<PresenceViewer>;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly realm: PresenceRealm,
    private readonly users: readonly number[],
    readonly truth: PresenceTruth,
    viewers: number,
    private readonly dice: Dice,
  ) {
    this.viewers = Array.from(
      { length: viewers },
      (_, index) => new PresenceViewer(users[index % users.length] ?? 0),
    );
    this.#busy = new Set(this.viewers.slice(0, viewers * BUSY_SHARE));
  }

  /** Somebody of the realm. */
  get anybody(): number {
    return this.users[0] ?? 0;
  }

  /** How many moments everybody takes to report once. */
  get moments(): number {
    return Math.ceil(this.users.length / USERS_PER_MOMENT);
  }

  /** Whether a viewer looks whenever life goes on. */
  isBusy(viewer: PresenceViewer): boolean {
    return this.#busy.has(viewer);
  }

  get toldEntries(): number {
    return this.viewers.reduce((sum, { toldEntries }) => sum + toldEntries, 0);
  }

  /** Everybody reports and most look, in random order; `meanwhile` is called before each of the moments. */
  async liveOn(
    processes: readonly PresenceRuntime[],
    meanwhile: (moment: number) => Promise<void>,
  ): Promise<void> {
    const reporters = this.dice.shuffled(this.users);
    const polling = this.dice.shuffled([...this.#busy]);
    const pollsPerMoment = Math.ceil(polling.length / this.moments);
    for (let moment = 0; moment < this.moments; moment += 1) {
      await meanwhile(moment);
      for (const userId of reporters.splice(0, USERS_PER_MOMENT)) this.#act(userId, processes);
      for (const viewer of polling.splice(0, pollsPerMoment)) {
        if (this.dice.roll() < NEW_SHARE) viewer.startAnew();
        await this.look(viewer, this.dice.pick(processes));
      }
    }
  }

  /** Resolves when everything that was reported has been answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  look(viewer: PresenceViewer, { service }: PresenceRuntime): Promise<void> {
    return viewer.poll(service, (cursor) => this.realm.poll(viewer.userId, cursor));
  }

  #act(userId: number, processes: readonly PresenceRuntime[]): void {
    const isActive = this.dice.roll() < 0.7;
    // Whoever hides stays with one process, as a gateway has it: hiding is not to overtake what was seen before.
    const isToggling = this.users.indexOf(userId) < this.users.length * TOGGLING_SHARE;
    const process = isToggling ? processes[userId % processes.length] : this.dice.pick(processes);
    const act =
      isToggling && this.dice.roll() < 0.3
        ? process?.service.changeVisibility(this.truth.toggle(userId))
        : process?.service.report(this.truth.report(userId, isActive));
    const done = Promise.resolve(act).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}
