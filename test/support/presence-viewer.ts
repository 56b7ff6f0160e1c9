import type { PresenceRequest, PresenceService } from '#presence/rpc';
import { parseAnswer, type PresenceTimes } from './presence-realm.js';

/** The state of a realm: the times of each user. */
export type PresenceState = ReadonlyMap<number, PresenceTimes>;

/** A client: its received state and its cursor. */
export class PresenceViewer {
  #cursor = -1;
  #received = 0;
  readonly #state = new Map<number, PresenceTimes>();

  constructor(readonly userId: number) {}

  get cursor(): number {
    return this.#cursor;
  }

  get state(): PresenceState {
    return this.#state;
  }

  /** The number of entries in all answers. */
  get receivedEntries(): number {
    return this.#received;
  }

  /** Polls, with the overrides of a test; fails if the cursor goes back. */
  async poll(
    service: Pick<PresenceService, 'report'>,
    question: (cursor: number) => PresenceRequest,
  ): Promise<void> {
    const answer = parseAnswer(await service.report(question(this.#cursor)));
    if (answer.presence_last_update_id < this.#cursor) {
      throw new Error(
        `The cursor of ${this.userId} went back from ${this.#cursor} to ${answer.presence_last_update_id}`,
      );
    }
    this.#cursor = answer.presence_last_update_id;
    for (const [userId, times] of Object.entries(answer.presences)) {
      this.#state.set(Number(userId), times);
      this.#received += 1;
    }
  }

  /** Clears the state, as a restarted client does. */
  reset(): void {
    this.#cursor = -1;
    this.#state.clear();
  }
}

/** A user whose received state differs from the expected one. */
export interface StateDifference {
  readonly userId: number;
  readonly received: PresenceTimes | undefined;
  readonly is: PresenceTimes;
}

/** The users in which two pictures differ. */
export const differences = (received: PresenceState, expected: PresenceState): StateDifference[] =>
  [...expected]
    .map(([userId, is]) => ({ userId, received: received.get(userId), is }))
    .filter(
      ({ received: times, is }) =>
        times?.active_timestamp !== is.active_timestamp ||
        times.idle_timestamp !== is.idle_timestamp,
    );
