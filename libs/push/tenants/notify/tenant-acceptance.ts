import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PhonePlatform } from '#push/jobs';
import { RateLimits } from '#platform/rate-limits';
import { OutcomeCounter } from '#push/observability';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { LimitedServers } from '../servers/limited-servers.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { isSendable, type TenantContent } from './notify.rules.js';
import { TenantContentSealer } from './tenant-content-sealer.js';
import {
  type AcceptedTenantDelivery,
  TenantAcceptanceRepository,
} from './tenant-acceptance.repository.js';

/** As long as providers store a push for a phone that is switched off. */
const REMOVAL_MS = 86_400_000;

/** A notification for a device. */
export interface TenantPush {
  readonly deviceId: number;
  readonly platform: PhonePlatform;
  readonly content: TenantContent;
}

/** Stores the notifications of servers, within their limits. */
@Injectable()
export class TenantAcceptance {
  readonly #logger = new Logger(TenantAcceptance.name);

  constructor(
    private readonly deliveries: TenantAcceptanceRepository,
    private readonly sealer: TenantContentSealer,
    private readonly limits: RateLimits,
    private readonly limited: LimitedServers,
    private readonly outcomes: OutcomeCounter,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
  ) {}

  /** Skips contents that no provider takes. Rejects with ApiError when the server has sent too many. */
  async accept(server: Tenant, pushes: readonly TenantPush[]): Promise<AcceptedTenantDelivery[]> {
    const sendable = pushes.filter(({ content }) => isSendable(content));
    const skipped = pushes.length - sendable.length;
    if (skipped > 0) {
      this.#logger.warn(`Server ${server.uuid}: ${skipped} notifications are too large`);
    }
    if (sendable.length === 0) return [];
    await this.#charge(server, sendable.length);
    const sealed = new Map<TenantContent, Buffer>();
    const accepted = await this.deliveries.accept(
      server.serverId,
      sendable.map(({ deviceId, platform, content }) => {
        const bytes = sealed.get(content) ?? this.sealer.seal(content);
        sealed.set(content, bytes);
        const { isSilent } = content;
        const timeToLiveMs = isSilent ? REMOVAL_MS : this.options.timeToLiveMs;
        return { deviceId, platform, sealed: bytes, isSilent, timeToLiveMs };
      }),
    );
    for (const { platform } of accepted) this.outcomes.ofServers(platform, 'accepted');
    return accepted;
  }

  /** The request that passes the limit is accepted, since it is not larger than others. */
  async #charge(server: Tenant, pushes: number): Promise<void> {
    const key = String(server.serverId);
    const options = { callsPerSecond: server.pushLimit };
    const charge = this.limits.charge('server-push', key, options);
    await this.limited.watch(server, 'pushes', charge);
    if (pushes === 1) return;
    const rest = { ...options, calls: pushes - 1 };
    await this.limits.charge('server-push', key, rest).catch(() => undefined);
  }
}
