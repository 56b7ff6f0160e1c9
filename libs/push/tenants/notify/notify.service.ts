import { Injectable, Optional } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import type { ParametersOf } from '#platform/http';
import { pushErrors } from '#push/devices';
import {
  type TenantDevice,
  TenantDeviceRepository,
  type TenantUser,
} from '../devices/tenant-device.repository.js';
import { platformOfKind, userOf } from '../devices/tenant-devices.service.js';
import { pushStatusOf, refuseStopped } from '../realms/push-status.rules.js';
import { TenantRealms } from '../realms/tenant-realms.js';
import { uuidIn } from '../servers/tenant-credentials.rules.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { apnsContentOf, deletedTokens, fcmContentOf, testContents } from './notify.rules.js';
import type { notifyAccount, testTenantDevice } from './notify.schema.js';
import type { TenantPush } from './tenant-acceptance.js';
import { TenantNotifier } from './tenant-notifier.js';

type Notification = ParametersOf<typeof notifyAccount>['request'];
type Test = ParametersOf<typeof testTenantDevice>['request'];

/** The notifications of servers to the tokens of an account. */
@Injectable()
export class NotifyService {
  constructor(
    private readonly devices: TenantDeviceRepository,
    private readonly realms: TenantRealms,
    private readonly notifier: TenantNotifier,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Notifies all tokens of an account; resolves with the answer to the server. Rejects with ApiError. */
  async notify(server: Tenant, request: Notification) {
    const user = namedUserOf(server, request);
    const realm = await this.realms.find(server, uuidIn(request.realm_uuid));
    const stops = realm === null ? [server] : [server, realm];
    refuseStopped(server, stops);
    const devices = await this.#recipients(user);
    if (realm !== null) await this.#noteRealm(devices, realm.id);
    await this.notifier.notify(server, pushesOf(devices, request));
    // Those of a deleted organisation are kept for a while: its server may upload it again.
    const left = await this.devices.list(user);
    const tokensOf = (wanted: string) =>
      left.filter(({ platform }) => platform === wanted).map(({ token }) => token);
    const countOf = (wanted: string) =>
      devices.filter(({ platform }) => platform === wanted).length;
    return {
      total_android_devices: countOf('fcm'),
      total_apple_devices: countOf('apns'),
      deleted_devices: {
        android_devices: deletedTokens('fcm', request.android_devices, tokensOf('fcm')),
        apple_devices: deletedTokens('apns', request.apple_devices, tokensOf('apns')),
      },
      realm: realm === null ? null : pushStatusOf(stops),
    };
  }

  /** Sends a test notification to a token of an account. Rejects with ApiError. */
  async test(server: Tenant, request: Test): Promise<void> {
    const user = namedUserOf(server, request);
    await this.realms.find(server, uuidIn(request.realm_uuid));
    // A token or a kind of another form is that of no device.
    const platform = platformOfKind(request.token_kind);
    const name = platform && nameOf({ platform, token: request.token });
    const device = (await this.#recipients(user)).find((one) => nameOf(one) === name);
    if (device === undefined) throw new ApiError(pushErrors.deviceNotRecognizedByProvider);
    const now = Math.floor(this.clock() / 1000);
    const content = testContents(request.base_payload, now)[device.platform];
    await this.notifier.start(server, [
      { deviceId: device.id, platform: device.platform, content },
    ]);
  }

  /** Each token once: a row by the UUID replaces one by the number. None of an organisation that was deleted. */
  async #recipients(user: TenantUser): Promise<TenantDevice[]> {
    const devices = await this.devices.list(user);
    const byToken = new Map<string, TenantDevice>();
    for (const device of devices.toSorted(byUuidLast)) byToken.set(nameOf(device), device);
    const kept = new Set(byToken.values());
    const doubled = devices.filter((device) => !kept.has(device)).map(({ id }) => id);
    if (doubled.length > 0) await this.devices.remove(doubled);
    return [...kept].filter(({ isOfDeletedRealm }) => !isOfDeletedRealm);
  }

  async #noteRealm(devices: readonly TenantDevice[], realmId: number): Promise<void> {
    const ids = devices.filter(({ hasRealm }) => !hasRealm).map(({ id }) => id);
    if (ids.length > 0) await this.devices.setRealm(ids, realmId);
  }
}

const byUuidLast = (one: TenantDevice, other: TenantDevice): number =>
  Number(one.hasUuid) - Number(other.hasUuid);

const nameOf = ({ platform, token }: Pick<TenantDevice, 'platform' | 'token'>): string =>
  `${platform} ${platform === 'apns' ? token.toLowerCase() : token}`;

const namedUserOf = (
  server: Tenant,
  { user_id: id, user_uuid: uuid }: Pick<Notification, 'user_id' | 'user_uuid'>,
): TenantUser => userOf(server, { user_id: id ?? undefined, user_uuid: uuidIn(uuid) });

/** Options for Google are looked at only if a phone of its platform is notified. */
function pushesOf(
  devices: readonly TenantDevice[],
  { apns_payload: apns, gcm_payload: fcm, gcm_options: options }: Notification,
): TenantPush[] {
  const hasAndroid = devices.some(({ platform }) => platform === 'fcm');
  const contents = {
    apns: apnsContentOf(apns),
    fcm: hasAndroid ? fcmContentOf(fcm, options) : null,
  };
  return devices.flatMap(({ id: deviceId, platform }) => {
    const content = contents[platform];
    return content === null ? [] : { deviceId, platform, content };
  });
}
