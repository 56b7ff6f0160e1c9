import type { FcmTarget } from '#push/encryption';
import type { ApnsEnvironment } from '#push/jobs';
import { subscriptionRow, type SubscriptionRow } from './claimed-subscription.js';

/** The columns of an address. */
export interface AddressRow {
  readonly is_addressable: boolean;
  readonly token: string;
  readonly app_id: string | null;
  readonly environment: ApnsEnvironment | null;
  readonly fcm_target: FcmTarget | null;
  readonly wants_badge: boolean;
  readonly key_generation: number;
  readonly push_key_id: number | null;
  readonly push_key_sealed: Buffer | null;
  readonly subscription: SubscriptionRow | null;
}

/** The expressions that the address of a delivery depends on. */
interface AddressFacts {
  readonly deviceId: string;
  readonly platform: string;
  /** Whether the account and its organisation are active. */
  readonly isActive: string;
  /** The generation of the present key of the account. */
  readonly keyGeneration: string;
  /** Whether the organisation sends only encrypted content. */
  readonly isEncryptedOnly: string;
  /** Whether another push service has the tokens of client devices. */
  readonly relays: string;
  /** Whether the notification asks a subscription of Web Push for its confirmation. */
  readonly isConfirmation: string;
  /** The end of the notification. */
  readonly expiresAt: string;
}

/** SQL: the columns `is_addressable`, and those of the address, from the joins below. */
export const addressColumns = ({
  deviceId,
  platform,
  isActive,
  keyGeneration,
  isEncryptedOnly,
  relays,
  isConfirmation,
  expiresAt,
}: AddressFacts): string => `
  coalesce(
    ${isActive} AND (client.id IS NOT NULL OR web.id IS NOT NULL OR NOT ${isEncryptedOnly})
    AND ${keyGeneration} = coalesce(
      device.key_generation, CASE
        -- On a server that relays: the negative id of an account stands for all its phones.
        WHEN ${deviceId} < 0 THEN ${keyGeneration}
        -- There another push service has the tokens of client devices.
        WHEN (registration.id IS NOT NULL OR ${relays} AND client.platform = ${platform})
          AND client.push_key_sealed IS NOT NULL THEN client.key_generation
        -- Until it is confirmed a subscription gets its token and nothing else.
        WHEN web.state = 'active' OR ${isConfirmation} THEN web.key_generation
      END
    ), false
  ) AS is_addressable,
  coalesce(
    device.token, registration.token, encode(client.push_token_id, 'base64'), web.endpoint, ''
  ) AS token,
  coalesce(device.app_id, registration.app_id) AS app_id,
  coalesce(device.environment, registration.environment) AS environment,
  coalesce(device.fcm_target, registration.fcm_target) AS fcm_target,
  coalesce(device.wants_badge, false) AS wants_badge,
  coalesce(device.key_generation, client.key_generation, web.key_generation, ${keyGeneration})
    AS key_generation,
  client.push_key_id, client.push_key_sealed, ${subscriptionRow(expiresAt)} AS subscription`;

/**
 * SQL: the device of a delivery, of each of the three tables, and the registration of its token. PostgreSQL does not search an index
 * for null, so that subscriptions cost deliveries to phones nothing.
 */
export const addressJoins = (deviceId: string, platform: string): string => `
  LEFT JOIN push_devices device ON device.id = ${deviceId}
  LEFT JOIN client_devices client ON client.id = ${deviceId}
  LEFT JOIN push_registrations registration
    ON registration.realm_id = client.realm_id AND registration.token_id = client.push_token_id
    AND registration.platform = ${platform}
  LEFT JOIN web_push_subscriptions web ON web.id = CASE WHEN ${platform} = 'web' THEN ${deviceId} END`;
