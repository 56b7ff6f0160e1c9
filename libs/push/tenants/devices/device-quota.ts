import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#platform/contracts';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { tenantErrors } from '../tenants.errors.js';
import { LimitedServers } from '../servers/limited-servers.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { TenantDeviceRepository } from './tenant-device.repository.js';

/** A count is not made more often than this: it reads all tokens of the server. */
const COUNTED_FOR_MS = 60_000;
const MAX_SERVERS = 10_000;

/**
 * Bounds the tokens of each server. Each gateway counts for itself, once a minute: until then several gateways may together
 * store twice as many as allowed.
 */
@Injectable()
export class DeviceQuota {
  readonly #counts = new LRUCache<number, number>({ max: MAX_SERVERS, ttl: COUNTED_FOR_MS });

  constructor(
    private readonly devices: TenantDeviceRepository,
    private readonly limited: LimitedServers,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
  ) {}

  /**
   * Runs a registration, which resolves with whether its token is new. Rejects with the ApiError for one more token than the
   * server may have, unless `isKnown` finds the token.
   */
  async registerWithinQuota(
    server: Tenant,
    register: () => Promise<boolean>,
    isKnown: () => Promise<boolean>,
  ): Promise<void> {
    const { serverId, deviceLimit } = server;
    const most = deviceLimit ?? this.options.devicesOfServer;
    const count = this.#counts.get(serverId) ?? (await this.#count(serverId, most));
    if (count >= most && !(await isKnown())) {
      this.limited.note(server, 'devices');
      throw new ApiError(tenantErrors.tooManyRemoteDevices);
    }
    if (!(await register())) return;
    const counted = this.#counts.get(serverId);
    if (counted !== undefined) this.#counts.set(serverId, counted + 1, { noUpdateTTL: true });
  }

  async #count(serverId: number, most: number): Promise<number> {
    const count = await this.devices.count(serverId, most);
    this.#counts.set(serverId, count);
    return count;
  }
}
