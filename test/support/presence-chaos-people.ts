import { setTimeout as delay } from 'node:timers/promises';
import type { PresenceTiming } from '#contracts';
import type { ChaosClient } from './presence-chaos-client.js';
import { type Deed, PossibleTimes } from './presence-chaos-truth.js';
import type { Dice } from './dice.js';

/** How somebody who is seen lives: how often they do what others do not, and when they fall silent. */
export interface ActorTraits {
  readonly joinedAt: number;
  readonly toggles: boolean;
  readonly leaves: boolean;
  /** After so long they do nothing any more; what they last did must be seen in the end. */
  readonly silentAfterMs: number;
  /** Who deactivates and reactivates them. */
  readonly admin: ChaosClient;
}

/** Somebody who reports, goes invisible and back, is deactivated and reactivated, and falls silent. */
export class ChaosActor {
  readonly truth: PossibleTimes;
  #isHidden = false;
  #isGone = false;
  #isSilent = false;

  constructor(
    readonly client: ChaosClient,
    private readonly traits: ActorTraits,
    timing: PresenceTiming,
    private readonly dice: Dice,
  ) {
    this.truth = new PossibleTimes(traits.joinedAt, timing);
  }

  get id(): number {
    return this.client.person.id;
  }

  /** Deactivated, for good. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Still there when all others have fallen silent. */
  get isStaying(): boolean {
    return !this.#isGone && !this.#isSilent;
  }

  async live(signal: AbortSignal): Promise<void> {
    const silentAtMs = performance.now() + this.traits.silentAfterMs;
    while (!signal.aborted && this.isStaying) {
      await delay(this.dice.between(0, 9000));
      await this.#act();
      this.#isSilent = performance.now() > silentAtMs;
    }
  }

  /** Reports, and mostly asks what is new. */
  async report(isActive = this.dice.roll() < 0.7): Promise<void> {
    const status = isActive ? 'active' : 'idle';
    const note = (deed: Deed) => {
      if (!this.#isHidden) this.truth.report(isActive, deed);
    };
    const onUncertain = (at: Deed['at']) => note({ at, isCertain: false });
    const answer =
      this.dice.roll() < 0.2
        ? await this.client.send(
            'POST',
            '/users/me/presence',
            { status, ping_only: true },
            onUncertain,
          )
        : await this.client.poll(status, onUncertain);
    note({ at: answer.at, isCertain: answer.status === 200 });
  }

  /** Goes invisible, and from then on only looks. */
  async retire(): Promise<void> {
    if (!this.#isHidden) await this.#toggle();
  }

  async #act(): Promise<void> {
    const choice = this.dice.roll();
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
      // It may have been done then: doing it again changes nothing.
      ({ from }) => (since ??= from),
    );
    const span = { from: since ?? at.from, to: at.to };
    if (this.#isHidden) this.truth.show(span);
    else this.truth.hide(span);
    this.#isHidden = !this.#isHidden;
  }

  async #leave(): Promise<void> {
    await this.traits.admin.send('DELETE', `/users/${this.id}`);
    if (this.dice.roll() < 0.3) {
      this.#isGone = true;
      return;
    }
    await delay(this.dice.between(0, 6000));
    await this.traits.admin.send('POST', `/users/${this.id}/reactivate`);
  }
}

/** How an app looks: with its cursor, seldom or often; always anew; in the legacy format; or by reading alone. */
export const watcherHabits = ['often', 'seldom', 'anew', 'legacy', 'reading'] as const;
export type WatcherHabit = (typeof watcherHabits)[number];

const pauses: Readonly<Record<WatcherHabit, readonly [least: number, most: number]>> = {
  often: [100, 1500],
  seldom: [4000, 12_000],
  anew: [1000, 5000],
  legacy: [1000, 5000],
  reading: [500, 1500],
};

/** Somebody who is invisible all the time, and looks. */
export class ChaosWatcher {
  constructor(
    readonly client: ChaosClient,
    readonly habit: WatcherHabit,
    /** Of whom they read alone. */
    private readonly asked: readonly number[],
    private readonly dice: Dice,
  ) {}

  async live(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.dice.between(...pauses[this.habit]));
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    switch (this.habit) {
      case 'often':
      case 'seldom':
        await this.client.poll('active');
        return;
      case 'anew':
        this.client.startAnew();
        await this.client.poll('active');
        return;
      case 'legacy':
        await this.client.send('POST', '/users/me/presence', { status: 'active' });
        return;
      case 'reading':
        await this.client.send('GET', '/realm/presence');
        await this.client.send('GET', `/users/${this.dice.pick(this.asked)}/presence`);
        return;
    }
  }
}
