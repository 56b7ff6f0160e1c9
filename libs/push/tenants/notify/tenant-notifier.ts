import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { PhonePlatform } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import type { Tenant } from '../servers/tenant.repository.js';
import { TenantAcceptance, type TenantPush } from './tenant-acceptance.js';
import { TenantDeliveryQueue } from './tenant-delivery-queue.js';
import type { AcceptedTenantDelivery } from './tenant-acceptance.repository.js';
import { TenantResults } from './tenant-results.js';

/** Servers hang up after fifteen seconds. */
const WAIT_MS = 10_000;

/** Devices that a provider has accepted notifications for. */
type SentCounts = Readonly<Record<PhonePlatform, number>>;

const NONE: SentCounts = { apns: 0, fcm: 0 };

/** Accepts the notifications of servers. */
@Injectable()
export class TenantNotifier {
  constructor(
    private readonly acceptance: TenantAcceptance,
    private readonly queue: TenantDeliveryQueue,
    private readonly results: TenantResults,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Accepts notifications, and waits for the providers. Rejects with ApiError when the server has sent too many. */
  async notify(server: Tenant, pushes: readonly TenantPush[]): Promise<SentCounts> {
    const until = this.clock() + WAIT_MS;
    const accepted = await this.acceptance.accept(server, pushes);
    if (accepted.length === 0) return NONE;
    const requestId = randomUUID();
    const ids = accepted.map(({ id }) => id);
    const states = await this.results.wait(requestId, ids, until, () =>
      this.#enqueue(server, pushes, accepted, requestId),
    );
    const sent = accepted.filter(({ id }) => states.get(id) === 'delivered');
    const countOf = (wanted: PhonePlatform) =>
      sent.filter(({ platform }) => platform === wanted).length;
    return { apns: countOf('apns'), fcm: countOf('fcm') };
  }

  /** The same without waiting. */
  async start(server: Tenant, pushes: readonly TenantPush[]): Promise<void> {
    const accepted = await this.acceptance.accept(server, pushes);
    if (accepted.length > 0) await this.#enqueue(server, pushes, accepted);
  }

  #enqueue(
    { serverId }: Tenant,
    pushes: readonly TenantPush[],
    deliveries: readonly AcceptedTenantDelivery[],
    requestId?: string,
  ): Promise<boolean> {
    const isSilent = pushes.every(({ content }) => content.isSilent);
    return this.queue.enqueue({ serverId, deliveries, isSilent, requestId });
  }
}
