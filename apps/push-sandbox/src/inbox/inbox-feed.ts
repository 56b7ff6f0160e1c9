import { Injectable, type MessageEvent } from '@nestjs/common';
import { bufferTime, concat, defer, filter, map, merge, type Observable, of } from 'rxjs';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { appearanceOf } from './appearance.rules.js';
import { DeliveriesStore } from './deliveries.store.js';
import type { Delivery } from './delivery.js';

/** A page draws a few hundred notifications well; a load run makes thousands a second. */
const mostShown = 300;
const gatheredForMs = 100;

/** What the inbox page follows: first everything that it shows, then each change. */
@Injectable()
export class InboxFeed {
  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly modes: PlatformModesStore,
  ) {}

  /**
   * Events for one page: `snapshot` (everything so far), `deliveries` (new ones; `isFresh` says
   * that all earlier ones were forgotten) and `platforms` (the modes). In a rush, only the newest are told.
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
    // Written by the store itself, from deliveries.
    const newest = this.deliveries
      .list({ limit: mostShown })
      .map((json): Delivery => JSON.parse(json));
    return newest.map(withAppearance);
  }

  #changes(): Observable<MessageEvent> {
    const forgotten = this.deliveries.forgotten.pipe(map(() => null));
    return merge(this.deliveries.recorded, forgotten).pipe(
      bufferTime(gatheredForMs),
      filter((changes) => changes.length > 0),
      map((changes) => {
        const lastForgotten = changes.lastIndexOf(null);
        const recorded = changes.slice(lastForgotten + 1).filter((change) => change !== null);
        return {
          type: 'deliveries',
          data: {
            isFresh: lastForgotten >= 0,
            deliveries: recorded.slice(-mostShown).map(withAppearance),
          },
        };
      }),
    );
  }
}

function withAppearance(delivery: Delivery) {
  return { ...delivery, appearance: appearanceOf(delivery) };
}
