import type { OnlineReading, PresenceService, PresenceViewer } from '#platform/contracts';
import { withinDeadline } from '#platform/core';
import { MOST_ONLINE_VIEWERS } from '#presence/rpc';
import { reportUnexpectedFailure } from './presence-failures.js';

/** Answers with other events wait at most this long for presence. */
const MOST_WAIT_MS = 100;
/** After a failure an organisation is not asked about for this long. */
const PAUSE_MS = 1000;

interface Waiting {
  readonly viewer: PresenceViewer;
  readonly aboveId: number;
  readonly resolve: (reading: OnlineReading | null) => void;
}

interface RealmBatch {
  waiting: Waiting[];
  isReading: boolean;
  pausedUntilMs: number;
}

/**
 * Reads which users came online, in one call for all viewers of an organisation who wait at the same time. A reading begins
 * after its viewers have asked for it, so that it is not older than answers that they have got. A guest has a call of its
 * own.
 */
export class OnlineBatches {
  readonly #realms = new Map<number, RealmBatch>();

  constructor(private readonly presence: Pick<PresenceService, 'readOnline'>) {}

  /**
   * Those who came online above `aboveId`, and maybe earlier ones. Null if presence does not answer in a short time. Never
   * rejects.
   */
  read(viewer: PresenceViewer, aboveId: number): Promise<OnlineReading | null> {
    const { realmId } = viewer;
    const batch = this.#realms.get(realmId) ?? {
      waiting: [],
      isReading: false,
      pausedUntilMs: 0,
    };
    if (batch.pausedUntilMs > performance.now()) return Promise.resolve(null);
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
      const taken = batch.waiting.splice(0, MOST_ONLINE_VIEWERS);
      const reading = await this.#call(batch, taken);
      for (const { resolve } of taken) resolve(reading);
    }
    batch.isReading = false;
    if (batch.pausedUntilMs <= performance.now()) this.#realms.delete(realmId);
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
    const result = await withinDeadline<OnlineReading | null>(MOST_WAIT_MS, reading, () => null);
    if (result === null) batch.pausedUntilMs = performance.now() + PAUSE_MS;
    return result;
  }
}
