import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment, Platform } from '#push/jobs';
import { Database, type Session } from '#platform/database';
import { TokenChangeRepository } from '#push/relay';
import { ClientDevicesService } from './encrypted/client-devices.service.js';
import { WebPushRepository } from './web/web-push.repository.js';
import type { StoredToken } from '#push/tokens';

/** A registered device, without its token. */
export interface Device {
  readonly id: number;
  readonly platform: Platform;
  /** The APNs topic; null for FCM. Of a subscription of Web Push the host of its service. */
  readonly appId: string | null;
  /** The first twelve hexadecimal digits of the SHA-256 of the token or the endpoint. */
  readonly fingerprint: string;
  readonly registeredAt: Date;
  /** Whether it gets encrypted notifications: a client device, or a subscription of Web Push. */
  readonly isEncrypted: boolean;
  /** Null for FCM, and until the first delivery to an iOS device. */
  readonly environment: ApnsEnvironment | null;
  /** Whether notifications are sent to it: its API key is current and the account is active. */
  readonly isReached: boolean;
}

// Client devices without a token, not even a pending one, are not reached yet.
const LIST = `
  SELECT device.id, device.platform, device.app_id AS "appId", false AS "isEncrypted",
    left(encode(device.token_digest, 'hex'), 12) AS fingerprint,
    device.registered_at AS "registeredAt", device.environment,
    account.is_active AND device.key_generation = account.key_generation AS "isReached"
  FROM push_devices device JOIN users account ON account.id = device.user_id
  WHERE device.user_id = $1
  UNION ALL
  SELECT device.id, coalesce(device.platform, device.pending_platform), registration.app_id, true,
    left(encode(coalesce(device.push_token_id, device.pending_token_id), 'hex'), 12),
    device.token_updated_at, registration.environment,
    account.is_active AND device.key_generation = account.key_generation
      AND device.push_token_id IS NOT NULL
  FROM client_devices device JOIN users account ON account.id = device.user_id
  LEFT JOIN push_registrations registration
    ON registration.realm_id = device.realm_id AND registration.token_id = device.push_token_id
  WHERE device.user_id = $1 AND coalesce(device.platform, device.pending_platform) IS NOT NULL
  UNION ALL
  SELECT device.id, 'web', split_part(device.endpoint, '/', 3), true,
    left(encode(device.endpoint_digest, 'hex'), 12), device.registered_at, NULL,
    account.is_active AND device.key_generation = account.key_generation AND device.state = 'active'
  FROM web_push_subscriptions device JOIN users account ON account.id = device.user_id
  WHERE device.user_id = $1
  ORDER BY id LIMIT $2`;

const REMOVE = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND ($2::int[] IS NULL OR id = ANY($2))
  RETURNING id, platform, token`;

/** The number of devices that a list has at most. */
const MAX_LISTED = 10_000;

/** The devices of an account to remove. */
type DeviceChoice = { readonly ids: readonly number[] } | { readonly all: true };

/** Lists and removes the devices of accounts, of every kind, for an operator. */
@Injectable()
export class DeviceInventoryRepository {
  constructor(
    private readonly database: Database,
    private readonly changes: TokenChangeRepository,
    private readonly clients: ClientDevicesService,
    private readonly webPush: WebPushRepository,
  ) {}

  /** The devices of an account by ascending id, at most 10,000; empty for an unknown account. */
  async list(userId: number): Promise<Device[]> {
    return this.database.query<Device>('list_devices', LIST, [userId, MAX_LISTED]);
  }

  /**
   * Removes some or all devices of an account, and resolves with the ids of the removed ones.
   * Ids of other accounts are ignored. Nothing is sent to a removed device from then on; its app may register it again. If
   * the push service of another server knows the account, a worker unregisters the tokens there.
   */
  remove(
    userId: number,
    choice: DeviceChoice,
    session: Session = this.database,
  ): Promise<number[]> {
    const ids = 'ids' in choice ? choice.ids : null;
    return session.transaction(async (transaction) => {
      const removed = await transaction.query<StoredToken & { readonly id: number }>(
        'remove_devices',
        REMOVE,
        [userId, ids],
      );
      if (await this.changes.isKnown(transaction, userId)) {
        const tokens = removed.map(({ platform, token }) => ({
          userId,
          platform,
          token,
          appId: null,
        }));
        await this.changes.put(transaction, 'unregister', tokens);
      }
      const clients = await this.clients.removeChosen(userId, ids, transaction);
      const web = await this.webPush.removeChosen(userId, ids, transaction);
      return [...removed.map(({ id }) => id), ...clients, ...web];
    });
  }
}
