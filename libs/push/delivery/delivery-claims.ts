import { Injectable } from '@nestjs/common';
import type { DeliveryKey } from '#push/notifications';
import { type Claim, DeliveryClaimRepository } from './delivery-claim.repository.js';
import type { Claimed } from './delivery-lease.js';
import { PageClaims } from './pages/page-claims.js';

/** Claims deliveries: those with rows of their own, and those of pages. */
@Injectable()
export class DeliveryClaims {
  constructor(
    private readonly single: DeliveryClaimRepository,
    private readonly pages: PageClaims,
  ) {}

  /** A page becomes a claim for each of its deliveries. */
  async claim(keys: readonly DeliveryKey[]): Promise<readonly Claimed<DeliveryKey, Claim>[]> {
    const single = keys.filter(({ page }) => page === undefined);
    const pages = keys.filter(({ page }) => page !== undefined);
    const claimed = await Promise.all([
      single.length === 0 ? [] : this.single.claim(single),
      pages.length === 0 ? [] : this.pages.claim(pages),
    ]);
    return claimed.flat();
  }
}
