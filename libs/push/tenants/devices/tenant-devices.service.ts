import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError, type CataloguedError, requestErrors } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { normalizeDeviceToken, pushErrors } from '#push/devices';
import { fromStrictBase64 } from '#push/encryption';
import { SealedRegistrations, type StoredToken } from '#push/tokens';
import { TENANT_OPTIONS, type TenantOptions } from '../tenant-options.js';
import { tenantErrors } from '../tenants.errors.js';
import { TenantRealms } from '../realms/tenant-realms.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { DeviceQuota } from './device-quota.js';
import { TenantDeviceRepository, type TenantUser } from './tenant-device.repository.js';

/** The account that a request of a server names. */
interface NamedUser {
  readonly user_id?: number | undefined;
  readonly user_uuid?: string | undefined;
}

/** A token as a server names it. */
interface NamedToken {
  readonly token: string;
  /** 1 for Apple, 2 for Google. */
  readonly token_kind: number;
}

/** A sealed registration of a phone. */
interface SealedRegistration {
  readonly realmUuid: string;
  readonly tokenId: string;
  readonly servicePublicKey: string;
  readonly sealed: string;
}

const platformsByKind = new Map<number, PhonePlatform>([
  [1, 'apns'],
  [2, 'fcm'],
]);

const refusals: Readonly<Record<string, CataloguedError>> = {
  INVALID_BOUNCER_PUBLIC_KEY: tenantErrors.invalidServicePublicKey,
  REQUEST_EXPIRED: tenantErrors.registrationExpired,
};

/** The tokens of the phones of servers. */
@Injectable()
export class TenantDevicesService {
  readonly #logger = new Logger(TenantDevicesService.name);

  constructor(
    private readonly devices: TenantDeviceRepository,
    private readonly realms: TenantRealms,
    private readonly sealed: SealedRegistrations,
    private readonly quota: DeviceQuota,
    @Inject(TENANT_OPTIONS) private readonly options: TenantOptions,
  ) {}

  /** Stores a token of an account, or refreshes it. Rejects with ApiError. */
  async register(
    server: Tenant,
    named: NamedUser &
      NamedToken & {
        readonly realm_uuid?: string | undefined;
        readonly ios_app_id?: string | undefined;
      },
  ): Promise<void> {
    const token = tokenOf(named);
    const appId = named.ios_app_id ?? null;
    if (token.platform === 'apns' && appId === null) throw new ApiError(tenantErrors.missingAppId);
    const user = userOf(server, named);
    const realm = await this.realms.find(server, named.realm_uuid);
    const device = {
      ...token,
      appId: token.platform === 'apns' ? appId : null,
      realmId: realm?.id ?? null,
    };
    await this.quota.registerWithinQuota(
      server,
      () => this.devices.register(user, device, this.options.devices),
      () => this.devices.isKnown(user, token),
    );
  }

  /** Rejects with ApiError for an unknown token. */
  async unregister(server: Tenant, named: NamedUser & NamedToken): Promise<void> {
    const token = tokenOf(named);
    if (!(await this.devices.unregister(userOf(server, named), token))) {
      throw new ApiError(pushErrors.tokenDoesNotExist);
    }
  }

  async unregisterAll(server: Tenant, named: NamedUser): Promise<void> {
    await this.devices.unregisterAll(userOf(server, named));
  }

  /** Stores the token of a sealed registration for an organisation. Rejects with ApiError. */
  async registerSealed(
    server: Tenant,
    { realmUuid, tokenId, servicePublicKey, sealed }: SealedRegistration,
  ): Promise<void> {
    const realm = await this.realms.require(server, realmUuid);
    const id = fromStrictBase64(tokenId) ?? Buffer.alloc(0);
    const opened = await this.sealed.open({ tokenId: id, servicePublicKey, sealed });
    if (opened.kind === 'refused') {
      throw new ApiError(refusals[opened.code] ?? tenantErrors.invalidSealedRegistration);
    }
    if (opened.kind === 'retry') {
      this.#logger.error(`A registration of a remote server has to wait: ${opened.reason}`);
      throw new ApiError(requestErrors.temporarilyUnavailable);
    }
    const { serverId } = server;
    const device = { serverId, realmId: realm.id, tokenId: id, ...opened.token };
    await this.quota.registerWithinQuota(
      server,
      () => this.devices.registerSealed(device),
      () => this.devices.isKnownSealed(realm.id, id),
    );
  }
}

/** Throws ApiError for a request that names no account. */
export function userOf(
  { serverId }: Tenant,
  { user_id: id, user_uuid: uuid }: NamedUser,
): TenantUser {
  if (id === undefined && uuid === undefined) throw new ApiError(tenantErrors.missingUser);
  return { serverId, id: id ?? null, uuid: uuid ?? null };
}

/** The platform of a kind of tokens; undefined for a number without a meaning. */
export const platformOfKind = (kind: number): PhonePlatform | undefined =>
  platformsByKind.get(kind);

/** Throws ApiError for another kind of token, and for an invalid token. */
function tokenOf({ token, token_kind: kind }: NamedToken): StoredToken {
  const platform = platformOfKind(kind);
  if (platform === undefined) throw new ApiError(tenantErrors.invalidTokenType);
  normalizeDeviceToken(platform, token);
  return { platform, token };
}
