import type { PresenceRequest, PresenceService } from '#contracts';
import { parseAnswer, type PresenceTimes } from './presence-realm.js';

/** What a realm looks like: when each user was seen. */
export type Picture = ReadonlyMap<number, PresenceTimes>;

/** A client: what it has been told, all in all, and from where on it wants to be told more. */
export class PresenceViewer {
  #cursor = -1;
  #told = 0;
  readonly #picture = new Map<number, PresenceTimes>();

  constructor(readonly userId: number) {}

  get cursor(): number {
    return this.#cursor;
  }

  get picture(): Picture {
    return this.#picture;
  }

  /** The number of entries in all answers. */
  get toldEntries(): number {
    return this.#told;
  }

  /** Polls, with what a test wants to be asked; a cursor that goes back is refused. */
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
      this.#picture.set(Number(userId), times);
      this.#told += 1;
    }
  }

  /** Forgets everything, as a client does that is started again. */
  startAnew(): void {
    this.#cursor = -1;
    this.#picture.clear();
  }
}

/** A user of whom a picture does not tell what is so. */
export interface PictureDifference {
  readonly userId: number;
  readonly told: PresenceTimes | undefined;
  readonly is: PresenceTimes;
}

/** Of whom a picture does not tell what another does. */
export const differences = (told: Picture, truth: Picture): PictureDifference[] =>
  [...truth]
    .map(([userId, is]) => ({ userId, told: told.get(userId), is }))
    .filter(
      ({ told: times, is }) =>
        times?.active_timestamp !== is.active_timestamp ||
        times.idle_timestamp !== is.idle_timestamp,
    );
