import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  ApiError,
  type AuthRequest,
  hostIn,
  type OnCharged,
  type RemoteAuthenticator,
  type RemoteCaller,
  requestErrors,
  type ServerAccess,
  type ServerCharge,
} from '#platform/contracts';
import { networkOf } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { tenantErrors } from '../tenants.errors.js';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { isCanonicalUuid, parseTenantAuthorization } from './tenant-credentials.rules.js';
import { LimitedServers } from './limited-servers.js';
import { isKeyOf, type Tenant, TenantRepository } from './tenant.repository.js';

/** Sign-ins that have worked are looked up also from an address beyond its limit. */
const MAX_VERIFIED = 10_000;

/** A larger body counts as several uploads: the work for an upload grows with its body. */
const UPLOAD_BYTES = 16 * 1024;

const uploadCallsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / UPLOAD_BYTES));

/**
 * Signs in the servers of other installations by HTTP Basic. The row is read for each request, so that a replaced key is
 * refused at once by every gateway.
 */
@Injectable()
export class TenantSignIn implements RemoteAuthenticator {
  readonly #verified = new LRUCache<string, true>({ max: MAX_VERIFIED });

  constructor(
    private readonly servers: TenantRepository,
    private readonly limits: RateLimits,
    private readonly limited: LimitedServers,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
  ) {}

  async authenticate(
    { authorization, host, address }: AuthRequest,
    access: ServerAccess,
    onCharged: OnCharged,
    charge: ServerCharge = 'request',
  ): Promise<Tenant | null> {
    const network = networkOf(address);
    if (access === 'any-server') {
      await this.limits.charge('address', network, { onCharged });
      this.#refuseOtherHost(host);
      return null;
    }
    let server: Tenant;
    try {
      server = await this.#signIn(authorization, network, onCharged);
      this.#refuseOtherHost(host);
    } catch (error) {
      if (error instanceof ApiError && error.error !== requestErrors.rateLimited) {
        await this.limits.charge('address', network, { onCharged });
      }
      throw error;
    }
    if (charge !== 'none') await this.#charge(server, onCharged, charge);
    if (!server.wasSeenLately) await this.servers.seen(server);
    return server;
  }

  async uploadRefused(server: RemoteCaller, uploadBytes: number): Promise<void> {
    const key = String(server.serverId);
    const calls = uploadCallsOf(uploadBytes);
    await Promise.all([
      this.limits.refund('server-upload', key, calls),
      // If this exceeds the limit, the next upload is refused.
      this.limits.charge('refused-upload', key, { calls }).catch(() => undefined),
    ]);
  }

  async #charge(
    server: Tenant,
    onCharged: OnCharged,
    charge: Exclude<ServerCharge, 'none'>,
  ): Promise<void> {
    const { requestLimit } = server;
    const key = String(server.serverId);
    if (charge === 'request') {
      const callsPerSecond = requestLimit === null ? null : requestLimit / 60;
      const requests = this.limits.charge('server', key, { onCharged, callsPerSecond });
      await this.limited.watch(server, 'requests', requests);
      return;
    }
    // A server uploads after each change of an account: its limit of requests does not count that.
    const refused = this.limits.charge('refused-upload', key, { calls: 0 });
    await this.limited.watch(server, 'uploads', refused);
    const calls = uploadCallsOf(charge.uploadBytes);
    const uploads = { onCharged, calls, isRefundedIfRefused: true };
    await this.limited.watch(server, 'uploads', this.limits.charge('server-upload', key, uploads));
  }

  async #signIn(
    authorization: string | undefined,
    network: string,
    onCharged: OnCharged,
  ): Promise<Tenant> {
    const { uuid, key } = parseTenantAuthorization(authorization);
    const digest = hash('sha256', `${uuid}:${key}`, 'base64');
    if (!this.#verified.has(digest) && (await this.limits.isExhausted('address', network))) {
      await this.limits.charge('address', network, { onCharged });
    }
    const server = isCanonicalUuid(uuid) ? await this.servers.find(uuid) : null;
    if (server === null) throw new ApiError(tenantErrors.serverNotRegistered, { id: uuid });
    if (!isKeyOf(server, key)) throw new ApiError(tenantErrors.wrongServerKey, { id: uuid });
    if (server.isDeactivated) throw new ApiError(tenantErrors.serverDeactivated);
    this.#verified.set(digest, true);
    return server;
  }

  #refuseOtherHost(host: string): void {
    const { hosts } = this.options;
    if (hosts.length === 0) return;
    const { name, port } = hostIn(host) ?? { name: '', port: '' };
    if (hosts.includes(name) || hosts.includes(name + port)) return;
    throw new ApiError(tenantErrors.wrongServiceHost);
  }
}
