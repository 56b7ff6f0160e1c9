import { withinDeadline } from '#platform/core';
import {
  MAX_ONLINE_VIEWERS,
  type OnlineReading,
  type PresenceService,
  type PresenceViewer,
} from '#presence/rpc';
import { reportUnexpectedFailure } from './presence-failures.js';

/** Answers with other events wait at most this long for presence. */
const MAX_WAIT_MS = 100;
/** After a failure the online users of an organisation are not read for this long. */
const PAUSE_MS = 1000;

interface Waiting {
  readonly viewer: PresenceViewer;
  readonly aboveId: number;
  readonly resolve: (reading: OnlineReading | null) => void;
}

interface RealmBatch {
  waiting: Waiting[];
  isReading: boolean;
  isPaused: boolean;
}

/**
 * Reads which users came online, in one call for all viewers of an organisation who wait at the same time. A reading begins
 * after its viewers have asked for it, so that it is not older than answers that they have got. A guest has a call of its
 * own. `batched` does not fit: a batch is of one organisation, which pauses after a failure.
 */
export class OnlineBatches {
  readonly #realms = new Map<number, RealmBatch>();

  /** `onPauseEnd` is called some time after a reading of an organisation failed: its viewers have to read again. */
  constructor(
    private readonly presence: Pick<PresenceService, 'readOnline'>,
    private readonly onPauseEnd: (realmId: number) => void,
  ) {}

  /**
   * Those who came online above `aboveId`, and maybe earlier ones. Null if presence does not answer in a short time. Never
   * rejects.
   */
  read(viewer: PresenceViewer, aboveId: number): Promise<OnlineReading | null> {
    const { realmId } = viewer;
    const batch = this.#realms.get(realmId) ?? { waiting: [], isReading: false, isPaused: false };
    if (batch.isPaused) return Promise.resolve(null);
    this.#realms.set(realmId, batch);
    if (viewer.isGuest) return this.#call(batch, [{ viewer, aboveId }]);
    return new Promise((resolve) => {
      batch.waiting.push({ viewer, aboveId, resolve });
      if (batch.isReading) return;
      batch.isReading = true;
      setImmediate(() => void this.#readAll(realmId, batch));
    });
  }

  async #readAll(realmId: number, batch: RealmBatch): Promise<void> {
    while (batch.waiting.length > 0) {
      const taken = batch.waiting.splice(0, MAX_ONLINE_VIEWERS);
      const reading = await this.#call(batch, taken);
      for (const { resolve } of taken) resolve(reading);
    }
    batch.isReading = false;
    if (!batch.isPaused) this.#realms.delete(realmId);
  }

  #pause(realmId: number, batch: RealmBatch): void {
    if (batch.isPaused) return;
    batch.isPaused = true;
    setTimeout(() => {
      batch.isPaused = false;
      if (!batch.isReading) this.#realms.delete(realmId);
      this.onPauseEnd(realmId);
    }, PAUSE_MS).unref();
  }

  async #call(
    batch: RealmBatch,
    asked: readonly Omit<Waiting, 'resolve'>[],
  ): Promise<OnlineReading | null> {
    const [first, ...others] = asked;
    if (first === undefined) return null;
    const reading = this.presence
      .readOnline({
        ...first.viewer,
        furtherViewers: others.map(({ viewer }) => viewer.userId),
        aboveId: asked.reduce((least, { aboveId }) => Math.min(least, aboveId), first.aboveId),
      })
      .catch((error: unknown) => {
        reportUnexpectedFailure(error);
        return null;
      });
    const result = await withinDeadline<OnlineReading | null>(MAX_WAIT_MS, reading, () => null);
    if (result === null) this.#pause(first.viewer.realmId, batch);
    return result;
  }
}
