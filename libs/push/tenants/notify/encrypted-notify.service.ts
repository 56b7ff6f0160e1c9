import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { TenantDeviceRepository, type TargetDevice } from '../devices/tenant-device.repository.js';
import { pushStatusOf, refuseStopped } from '../realms/push-status.rules.js';
import { TenantRealms } from '../realms/tenant-realms.js';
import { tenantErrors } from '../tenants.errors.js';
import { uuidIn } from '../servers/tenant-credentials.rules.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { fcmDataOf, type TenantContent } from './notify.rules.js';
import type { PushRequest } from './notify.schema.js';
import type { TenantPush } from './tenant-acceptance.js';
import { TenantNotifier } from './tenant-notifier.js';

/** The encrypted notifications of servers. */
@Injectable()
export class EncryptedNotifyService {
  readonly #logger = new Logger(EncryptedNotifyService.name);

  constructor(
    private readonly devices: TenantDeviceRepository,
    private readonly realms: TenantRealms,
    private readonly notifier: TenantNotifier,
  ) {}

  /** Notifies tokens of an organisation; resolves with the answer to the server. Rejects with ApiError. */
  async notify(server: Tenant, realmUuid: string, requests: readonly PushRequest[]) {
    const uuid = uuidIn(realmUuid);
    if (uuid === undefined) throw new ApiError(tenantErrors.invalidUuid);
    const realm = await this.realms.require(server, uuid);
    const stops = [server, realm];
    refuseStopped(server, stops);
    const tokenIds = [...new Set(requests.map(({ token_id: id }) => id))];
    const pushes = this.#pushesOf(server, requests, await this.#find(realm.id, tokenIds));
    const sent = await this.notifier.notify(server, pushes);
    // Some may have proved dead.
    const alive = await this.#find(realm.id, tokenIds);
    return {
      apple_successfully_sent_count: sent.apns,
      android_successfully_sent_count: sent.fcm,
      delete_token_ids: tokenIds.filter((id) => !alive.has(id)),
      realm_push_status: pushStatusOf(stops),
    };
  }

  async #find(
    realmId: number,
    tokenIds: readonly string[],
  ): Promise<ReadonlyMap<string, TargetDevice>> {
    const ids = tokenIds.map((id) => Buffer.from(id, 'base64'));
    const found = await this.devices.findSealed(realmId, ids);
    return new Map(found.map((device) => [device.tokenId.toString('base64'), device]));
  }

  #pushesOf(
    { uuid }: Tenant,
    requests: readonly PushRequest[],
    devices: ReadonlyMap<string, TargetDevice>,
  ): TenantPush[] {
    return requests.flatMap((request) => {
      const device = devices.get(request.token_id);
      if (device === undefined) return [];
      const { id: deviceId, platform } = device;
      const content = platform === 'apns' ? apnsContentIn(request) : fcmContentIn(request);
      if (content !== null) return { deviceId, platform, content };
      this.#logger.warn(`Server ${uuid}: a notification for the other platform was skipped`);
      return [];
    });
  }
}

function apnsContentIn({ http_headers: headers, payload }: PushRequest): TenantContent | null {
  if (headers === undefined) return null;
  const { apns_push_type: pushType, apns_priority: priority } = headers;
  return { isSilent: pushType === 'background', apnsUrgency: { pushType, priority }, payload };
}

const fcmContentIn = ({ fcm_priority: priority, payload }: PushRequest): TenantContent | null =>
  priority === undefined
    ? null
    : { isSilent: priority === 'normal', apnsUrgency: null, payload: fcmDataOf(payload) };
