import { setTimeout as delay } from 'node:timers/promises';
import type { PresenceTiming } from '#presence/rules';
import type { SeededRandom } from './seeded-random.js';
import type { ChaosClient } from './presence-chaos-client.js';
import { type ObservedRequest, PossibleTimes } from './presence-possible-times.js';

/** The behaviour of a user: the frequency of rare actions, and the time of falling silent. */
interface ActorTraits {
  readonly joinedAt: number;
  readonly toggles: boolean;
  readonly leaves: boolean;
  /** The user falls silent after this time; the last action must be visible at the end. */
  readonly silentAfterMs: number;
  /** The administrator who deactivates and reactivates users. */
  readonly admin: ChaosClient;
}

/** A user who reports, goes invisible and visible, is deactivated and reactivated, and falls silent. */
export class ChaosActor {
  readonly expected: PossibleTimes;
  #isHidden = false;
  #isGone = false;
  #isSilent = false;

  constructor(
    readonly client: ChaosClient,
    private readonly traits: ActorTraits,
    timing: PresenceTiming,
    private readonly random: SeededRandom,
  ) {
    this.expected = new PossibleTimes(traits.joinedAt, timing);
  }

  get id(): number {
    return this.client.person.id;
  }

  /** Permanently deactivated. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Active until the end. */
  get isStaying(): boolean {
    return !this.#isGone && !this.#isSilent;
  }

  async run(signal: AbortSignal): Promise<void> {
    const silentAtMs = performance.now() + this.traits.silentAfterMs;
    while (!signal.aborted && this.isStaying) {
      await delay(this.random.between(0, 9000));
      await this.#act();
      this.#isSilent = performance.now() > silentAtMs;
    }
  }

  /** Reports, and usually polls. */
  async report(isActive = this.random.next() < 0.7): Promise<void> {
    const status = isActive ? 'active' : 'idle';
    const note = (request: ObservedRequest) => {
      if (!this.#isHidden) this.expected.report(isActive, request);
    };
    const onUncertain = (at: ObservedRequest['at']) => note({ at, isCertain: false });
    const answer =
      this.random.next() < 0.2
        ? await this.client.send(
            'POST',
            '/users/me/presence',
            { status, ping_only: true },
            onUncertain,
          )
        : await this.client.poll(status, onUncertain);
    note({ at: answer.at, isCertain: answer.status === 200 });
  }

  /** Goes invisible, and then only polls. */
  async goInvisible(): Promise<void> {
    if (!this.#isHidden) await this.#toggle();
  }

  async #act(): Promise<void> {
    const choice = this.random.next();
    if (this.traits.toggles && choice < 0.3) await this.#toggle();
    else if (this.traits.leaves && choice < 0.2) await this.#leave();
    else await this.report();
  }

  async #toggle(): Promise<void> {
    let since: number | undefined;
    const { at } = await this.client.send(
      'PATCH',
      '/settings',
      { presence_enabled: this.#isHidden },
      // The request may have been executed; a repetition changes nothing.
      ({ from }) => (since ??= from),
    );
    const span = { from: since ?? at.from, to: at.to };
    if (this.#isHidden) this.expected.show(span);
    else this.expected.hide(span);
    this.#isHidden = !this.#isHidden;
  }

  async #leave(): Promise<void> {
    await this.traits.admin.send('DELETE', `/users/${this.id}`);
    if (this.random.next() < 0.3) {
      this.#isGone = true;
      return;
    }
    await delay(this.random.between(0, 6000));
    await this.traits.admin.send('POST', `/users/${this.id}/reactivate`);
  }
}

/** How a client polls: with its cursor, rarely or often; always for all users; in the legacy format; or by reads. */
export const watcherHabits = ['often', 'rarely', 'without cursor', 'legacy', 'reading'] as const;
type WatcherHabit = (typeof watcherHabits)[number];

const pauses: Readonly<Record<WatcherHabit, readonly [least: number, most: number]>> = {
  often: [100, 1500],
  rarely: [4000, 12_000],
  'without cursor': [1000, 5000],
  legacy: [1000, 5000],
  reading: [500, 1500],
};

/** A permanently invisible user who polls. */
export class ChaosWatcher {
  constructor(
    readonly client: ChaosClient,
    readonly habit: WatcherHabit,
    /** The user whose presence is read. */
    private readonly asked: readonly number[],
    private readonly random: SeededRandom,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.random.between(...pauses[this.habit]));
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    switch (this.habit) {
      case 'often':
      case 'rarely':
        await this.client.poll('active');
        return;
      case 'without cursor':
        this.client.reset();
        await this.client.poll('active');
        return;
      case 'legacy':
        await this.client.send('POST', '/users/me/presence', { status: 'active' });
        return;
      case 'reading':
        await this.client.send('GET', '/realm/presence');
        await this.client.send('GET', `/users/${this.random.pick(this.asked)}/presence`);
        return;
    }
  }
}
