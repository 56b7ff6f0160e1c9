import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import {
  type DeliveryKey,
  notificationContent,
  type NotificationContent,
  notificationIdAt,
  placeStates,
} from '#push/notifications';
import type { Claim, DueDelivery } from '../delivery-claim.repository.js';
import { behindPageForMs, type Claimed, LEASE_MS } from '../delivery-lease.js';
import { OpenPage, type PagePlace } from './open-page.js';
import {
  type ClaimedPage,
  PageRepository,
  type PageRow,
  type PlaceRow,
} from './page.repository.js';

type ClaimedDelivery = Claimed<DeliveryKey, Claim>;

/**
 * Claims pages. A page is claimed once: the places of one whose worker has died get rows of their own, and are sent again with
 * the same ids.
 */
@Injectable()
export class PageClaims {
  constructor(
    private readonly pages: PageRepository,
    @Inject(LEASE_MS) private readonly leaseMs: number,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** The deliveries of the pages that it leases, or that had to get rows of their own; a page that has to wait as itself. */
  async claim(keys: readonly DeliveryKey[]): Promise<ClaimedDelivery[]> {
    const claimStartedAt = performance.now();
    const claimed = await this.pages.claim(keys.map(({ notificationId }) => notificationId));
    const deliveries = claimed.map((one, index) => {
      const key = keys[index];
      return one === null || key === undefined ? [] : this.#claimsOf(key, one, claimStartedAt);
    });
    return (await Promise.all(deliveries)).flat();
  }

  #claimsOf(
    key: DeliveryKey,
    { page, places }: ClaimedPage,
    claimStartedAt: number,
  ): ClaimedDelivery[] | Promise<ClaimedDelivery[]> {
    if (page.isAbandoned) return this.#breakUp(page);
    if (!page.isLeased) return [{ key, claim: this.#notYet(page) }];
    const content = notificationContent.safeParse(page.content).data;
    const pending = pendingIds(page);
    // The recipients of deliveries are kept by this object: see DueDelivery.
    const realms = new Map(page.userIds.map((userId) => [userId, { ...page.realm }]));
    const open = new OpenPage(page.id, page.states, pending, (closing) =>
      this.pages.close(closing),
    );
    return places.flatMap((place) => {
      const notificationId = pending.get(place.place);
      if (notificationId === undefined) return [];
      const delivery = { notificationId, deviceId: page.deviceIds[place.place - 1] ?? 0 };
      const inPage = { page: open, place: place.place };
      // Without content, only a worker of the later release can send it.
      const waitMs = content === undefined ? this.leaseMs : waitOf(page, place);
      return content === undefined || waitMs !== null
        ? { key: delivery, claim: this.#waiting(page, inPage, waitMs ?? 0) }
        : {
            key: delivery,
            claim: toClaim(delivery, { page, place, inPage, realms, claimStartedAt }, content),
          };
    });
  }

  /** A page that another worker has leased, or that waits for an earlier one. */
  #notYet(page: PageRow): Claim {
    const { dueAt, databaseNow, acceptedAt, isBehind } = page;
    const waitMs = Math.max(0, dueAt - databaseNow);
    const behindForMs = isBehind ? behindPageForMs(databaseNow - acceptedAt) : null;
    return { kind: 'not_yet', until: this.clock() + waitMs, behindForMs };
  }

  /**
   * A delivery that waits for an earlier one to the same device gets a row, and waits as all others. The earlier one may have ended
   * before there is a row. The page knows it from the beginning: until the delivery has a slot, the page may have been closed.
   */
  #waiting(
    { databaseNow, acceptedAt }: PageRow,
    { page, place }: PagePlace,
    waitMs: number,
  ): Claim {
    const released = page.release(place, waitMs / 1000);
    released.catch(() => undefined);
    return {
      kind: 'not_yet',
      until: this.clock() + waitMs,
      behindForMs: behindPageForMs(databaseNow - acceptedAt),
      release: () => released,
    };
  }

  /** The worker of the page has died: its pushes may be shown, and are sent again. */
  async #breakUp(page: PageRow): Promise<ClaimedDelivery[]> {
    const pending = [...pendingIds(page)];
    const states = [...page.states];
    for (const [place] of pending) states[place - 1] = placeStates.own;
    const own = pending.map(([place, notificationId]) => ({
      place,
      notificationId,
      mayBeShown: true,
      dueInSeconds: 0,
    }));
    await this.pages.close({ id: page.id, states: states.join(''), own, learnt: [] });
    const until = this.clock();
    return pending.map(([place, notificationId]) => ({
      key: { notificationId, deviceId: page.deviceIds[place - 1] ?? 0 },
      claim: { kind: 'not_yet', until, behindForMs: null },
    }));
  }
}

/** The ids of the notifications of the pending places, by place. */
function pendingIds({ id, notificationId, userIds, states }: PageRow): ReadonlyMap<number, string> {
  const firstPlaces = new Map<number, number>();
  const ids = new Map<number, string>();
  for (const [index, userId] of userIds.entries()) {
    const first = firstPlaces.get(userId) ?? index + 1;
    firstPlaces.set(userId, first);
    if (states[index] !== placeStates.pending) continue;
    ids.set(index + 1, notificationId ?? notificationIdAt(id, first));
  }
  return ids;
}

/** How long a place waits for an earlier delivery to the device; null if it does not. */
const waitOf = (
  { isExpired, databaseNow }: PageRow,
  { is_addressable: isAddressable, behind_until_ms: until }: PlaceRow,
): number | null =>
  until === null || isExpired || !isAddressable ? null : Math.max(0, until - databaseNow);

interface PlaceOfPage {
  readonly page: PageRow;
  readonly place: PlaceRow;
  readonly inPage: PagePlace;
  /** One object for each account. */
  readonly realms: ReadonlyMap<number, PageRow['realm']>;
  readonly claimStartedAt: number;
}

function toClaim(
  key: DeliveryKey,
  { page, place, inPage, realms, claimStartedAt }: PlaceOfPage,
  content: NotificationContent,
): Claim {
  const { platform, acceptedAt } = page;
  const isAddressable = place.is_addressable;
  if (!isAddressable || page.isExpired) {
    const kind = isAddressable ? 'expired' : 'revoked';
    return { kind, platform, mayBeShown: false, content, acceptedAt, inPage };
  }
  const userId = page.userIds[place.place - 1] ?? 0;
  const { push_key_id: keyId, push_key_sealed: sealed } = place;
  return {
    notificationId: key.notificationId,
    deviceId: key.deviceId,
    kind: 'due',
    platform,
    attempts: 0,
    mayBeShown: false,
    sequence: page.sequence,
    token: place.token,
    appId: place.app_id,
    environment: place.environment,
    fcmTarget: place.fcm_target,
    wantsBadge: place.wants_badge,
    encryption: keyId === null || sealed === null ? null : { keyId, key: sealed },
    subscription: null,
    userId,
    keyGeneration: place.key_generation,
    realm: realms.get(userId) ?? page.realm,
    content,
    acceptedAt,
    traceParent: page.traceParent,
    databaseNow: page.databaseNow,
    claimStartedAt,
    inPage,
  } satisfies DueDelivery;
}
