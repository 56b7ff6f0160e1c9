import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Platform } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import { OutcomeCounter } from '#push/observability';
import { REMOTE_OPTIONS, type RemoteOptions } from '../tenant-options.js';
import { LimitedServers } from '../servers/limited-servers.js';
import type { RemoteServer } from '../servers/tenant.repository.js';
import { isSendable, type RemoteContent } from './notify.rules.js';
import { RemoteContentSealer } from './tenant-content-sealer.js';
import {
  type AcceptedRemoteDelivery,
  RemoteAcceptanceRepository,
} from './tenant-acceptance.repository.js';

/** As long as providers store a push for a phone that is switched off. */
const REMOVAL_MS = 86_400_000;

/** A notification for a device. */
export interface RemotePush {
  readonly deviceId: number;
  readonly platform: Platform;
  readonly content: RemoteContent;
}

/** Stores the notifications of servers, within their limits. */
@Injectable()
export class RemoteAcceptance {
  readonly #logger = new Logger(RemoteAcceptance.name);

  constructor(
    private readonly deliveries: RemoteAcceptanceRepository,
    private readonly sealer: RemoteContentSealer,
    private readonly limits: RateLimits,
    private readonly limited: LimitedServers,
    private readonly outcomes: OutcomeCounter,
    @Inject(REMOTE_OPTIONS) private readonly options: RemoteOptions,
  ) {}

  /** Skips contents that no provider takes. Rejects with ApiError when the server has sent too many. */
  async accept(
    server: RemoteServer,
    pushes: readonly RemotePush[],
  ): Promise<AcceptedRemoteDelivery[]> {
    const sendable = pushes.filter(({ content }) => isSendable(content));
    const skipped = pushes.length - sendable.length;
    if (skipped > 0) {
      this.#logger.warn(`Server ${server.uuid}: ${skipped} notifications are too large`);
    }
    if (sendable.length === 0) return [];
    await this.#charge(server, sendable.length);
    const sealed = new Map<RemoteContent, Buffer>();
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
  async #charge(server: RemoteServer, pushes: number): Promise<void> {
    const key = String(server.serverId);
    const options = { callsPerSecond: server.pushLimit };
    const charge = this.limits.charge('server-push', key, options);
    await this.limited.watch(server, 'pushes', charge);
    if (pushes === 1) return;
    const rest = { ...options, calls: pushes - 1 };
    await this.limits.charge('server-push', key, rest).catch(() => undefined);
  }
}
