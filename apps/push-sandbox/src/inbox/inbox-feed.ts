import { Injectable, type MessageEvent } from '@nestjs/common';
import { bufferTime, concat, defer, filter, map, merge, type Observable, of } from 'rxjs';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { appearanceOf } from './appearance.rules.js';
import { DeliveriesStore } from './deliveries.store.js';
import type { Delivery } from './delivery.js';

/** The page can draw a few hundred notifications; a load test sends thousands a second. */
const MAX_SHOWN = 300;
const BATCH_MS = 100;

/** The events of the inbox page: a snapshot, then each change. */
@Injectable()
export class InboxFeed {
  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly modes: PlatformModesStore,
  ) {}

  /**
   * Events for one page: `snapshot` (the newest deliveries and the modes), `deliveries` (new ones; `isFresh`: all
   * earlier ones were removed) and `platforms` (the modes). Under load only the newest deliveries are sent.
   */
  events(): Observable<MessageEvent> {
    const snapshot = defer(() =>
      of({
        type: 'snapshot',
        data: { platforms: this.modes.all(), deliveries: this.#newest() },
      }),
    );
    const modes = this.modes.changes.pipe(map((data) => ({ type: 'platforms', data })));
    return concat(snapshot, merge(modes, this.#changes()));
  }

  #newest() {
    // The store has written this JSON.
    const newest = this.deliveries
      .list({ limit: MAX_SHOWN })
      .map((json): Delivery => JSON.parse(json));
    return newest.map(withAppearance);
  }

  #changes(): Observable<MessageEvent> {
    const forgotten = this.deliveries.forgotten.pipe(map(() => null));
    return merge(this.deliveries.recorded, forgotten).pipe(
      bufferTime(BATCH_MS),
      filter((changes) => changes.length > 0),
      map((changes) => {
        const lastForgotten = changes.lastIndexOf(null);
        const recorded = changes.slice(lastForgotten + 1).filter((change) => change !== null);
        return {
          type: 'deliveries',
          data: {
            isFresh: lastForgotten >= 0,
            deliveries: recorded.slice(-MAX_SHOWN).map(withAppearance),
          },
        };
      }),
    );
  }
}

function withAppearance(delivery: Delivery) {
  return { ...delivery, appearance: appearanceOf(delivery) };
}
