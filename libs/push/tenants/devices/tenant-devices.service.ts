import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError, type CataloguedError, type Platform, requestErrors } from '#platform/contracts';
import { normalizeDeviceToken, pushErrors } from '#push/devices';
import { fromStrictBase64 } from '#push/encryption';
import { SealedRegistrations } from '#push/tokens';
import { REMOTE_OPTIONS, type RemoteOptions } from '../tenant-options.js';
import { remoteErrors } from '../tenants.errors.js';
import { RemoteRealms } from '../realms/tenant-realms.js';
import type { RemoteServer } from '../servers/tenant.repository.js';
import { DeviceQuota } from './device-quota.js';
import {
  RemoteDeviceRepository,
  type RemoteToken,
  type RemoteUser,
} from './tenant-device.repository.js';

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

const platformsByKind = new Map<number, Platform>([
  [1, 'apns'],
  [2, 'fcm'],
]);

const refusals: Readonly<Record<string, CataloguedError>> = {
  INVALID_BOUNCER_PUBLIC_KEY: remoteErrors.invalidServicePublicKey,
  REQUEST_EXPIRED: remoteErrors.registrationExpired,
};

/** The tokens of the phones of servers. */
@Injectable()
export class RemoteDevicesService {
  readonly #logger = new Logger(RemoteDevicesService.name);

  constructor(
    private readonly devices: RemoteDeviceRepository,
    private readonly realms: RemoteRealms,
    private readonly sealed: SealedRegistrations,
    private readonly quota: DeviceQuota,
    @Inject(REMOTE_OPTIONS) private readonly options: RemoteOptions,
  ) {}

  /** Stores a token of an account, or refreshes it. Rejects with ApiError. */
  async register(
    server: RemoteServer,
    named: NamedUser &
      NamedToken & {
        readonly realm_uuid?: string | undefined;
        readonly ios_app_id?: string | undefined;
      },
  ): Promise<void> {
    const token = tokenOf(named);
    const appId = named.ios_app_id ?? null;
    if (token.platform === 'apns' && appId === null) throw new ApiError(remoteErrors.missingAppId);
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
  async unregister(server: RemoteServer, named: NamedUser & NamedToken): Promise<void> {
    const token = tokenOf(named);
    if (!(await this.devices.unregister(userOf(server, named), token))) {
      throw new ApiError(pushErrors.tokenDoesNotExist);
    }
  }

  async unregisterAll(server: RemoteServer, named: NamedUser): Promise<void> {
    await this.devices.unregisterAll(userOf(server, named));
  }

  /** Stores the token of a sealed registration for an organisation. Rejects with ApiError. */
  async registerSealed(
    server: RemoteServer,
    { realmUuid, tokenId, servicePublicKey, sealed }: SealedRegistration,
  ): Promise<void> {
    const realm = await this.realms.require(server, realmUuid);
    const id = fromStrictBase64(tokenId) ?? Buffer.alloc(0);
    const opened = await this.sealed.open({ tokenId: id, servicePublicKey, sealed });
    if (opened.kind === 'refused') {
      throw new ApiError(refusals[opened.code] ?? remoteErrors.invalidSealedRegistration);
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
  { serverId }: RemoteServer,
  { user_id: id, user_uuid: uuid }: NamedUser,
): RemoteUser {
  if (id === undefined && uuid === undefined) throw new ApiError(remoteErrors.missingUser);
  return { serverId, id: id ?? null, uuid: uuid ?? null };
}

/** The platform of a kind of tokens; undefined for a number without a meaning. */
export const platformOfKind = (kind: number): Platform | undefined => platformsByKind.get(kind);

/** Throws ApiError for another kind of token, and for an invalid token. */
function tokenOf({ token, token_kind: kind }: NamedToken): RemoteToken {
  const platform = platformOfKind(kind);
  if (platform === undefined) throw new ApiError(remoteErrors.invalidTokenType);
  normalizeDeviceToken(platform, token);
  return { platform, token };
}
