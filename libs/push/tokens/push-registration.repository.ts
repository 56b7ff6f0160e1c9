import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment, PhonePlatform } from '#push/jobs';
import { Database, type Session, type Transaction } from '#platform/database';
import { fcmTargetOf, installationTokenIdOf } from '#push/encryption';
import type { AgedApp, OldTokens } from './token-age.js';

/** A token of an organisation. */
export interface RegisteredToken {
  readonly realmId: number;
  readonly tokenId: Buffer;
}

/** A token to store. */
interface NewToken extends RegisteredToken {
  readonly platform: PhonePlatform;
  /** As the phone gave it. */
  readonly token: string;
  readonly appId: string | null;
}

/** A token that its provider does not know any more. */
export interface DeadToken {
  readonly platform: PhonePlatform;
  readonly token: string;
  /** Only registrations of this app; of all when null. */
  readonly appId: string | null;
  /** Only registrations that are not newer. */
  readonly since: Date;
  /** Set when another push service has the token, and this server only knows its id. */
  readonly relayed?: RegisteredToken;
}

/** A registration that was removed. */
interface RemovedToken extends RegisteredToken {
  readonly platform: PhonePlatform;
}

/** Apple's environment of the token of a client device. */
export interface LearntEnvironment {
  readonly deviceId: number;
  readonly environment: ApnsEnvironment;
}

/** SQL: the digest of a token as providers compare it. */
export const tokenDigestOf = (platform: string, token: string): string =>
  `sha256(convert_to(CASE ${platform} WHEN 'apns' THEN lower(${token}) ELSE ${token} END, 'UTF8'))`;

const DIGEST = tokenDigestOf('$3::text', '$4::text');

// An insertion takes an id even where it finds a conflict, so known tokens are updated first.
const REGISTER = `
  WITH known AS (
    UPDATE push_registrations
    SET platform = $3::text, token = $4::text, token_digest = ${DIGEST}, app_id = $5,
      fcm_target = $6, refreshed_at = now()
    WHERE realm_id = $1 AND token_id = $2
    RETURNING id
  )
  INSERT INTO push_registrations (
    realm_id, token_id, platform, token, token_digest, app_id, fcm_target
  )
  SELECT $1, $2, $3::text, $4::text, ${DIGEST}, $5, $6
  WHERE NOT EXISTS (SELECT FROM known)
  ON CONFLICT (realm_id, token_id) DO UPDATE
  SET platform = excluded.platform, token = excluded.token, token_digest = excluded.token_digest,
    app_id = excluded.app_id, fcm_target = excluded.fcm_target, refreshed_at = now()`;

const IDS_OF = `
  SELECT token_id AS "tokenId" FROM push_registrations
  WHERE realm_id = $1 AND platform = $2::text
    AND token_digest = ${tokenDigestOf('$2::text', '$3::text')}`;

// By the devices of the account, which are few.
const IDS_OF_INSTALLATION = `
  SELECT registration.token_id AS "tokenId"
  FROM client_devices device JOIN push_registrations registration
    ON registration.realm_id = device.realm_id AND registration.token_id = device.push_token_id
  WHERE device.user_id = $1 AND registration.platform = 'fcm'
    AND ${installationTokenIdOf('registration.token')} = $2`;

const REMOVE_DEAD = `
  DELETE FROM push_registrations registration
  USING unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
    AS dead (platform, token, app_id, since)
  WHERE registration.platform = dead.platform
    AND registration.token_digest = ${tokenDigestOf('dead.platform', 'dead.token')}
    AND (dead.app_id IS NULL OR registration.app_id = dead.app_id)
    AND registration.refreshed_at <= dead.since
  RETURNING registration.realm_id AS "realmId", registration.token_id AS "tokenId",
    registration.platform`;

// A device whose registration has not failed is about to use the token.
const REMOVE_UNUSED = `
  DELETE FROM push_registrations registration
  USING unnest($1::int[], $2::bytea[]) AS released (realm_id, token_id)
  WHERE registration.realm_id = released.realm_id AND registration.token_id = released.token_id
    AND NOT EXISTS (
      SELECT FROM client_devices device
      WHERE device.realm_id = released.realm_id AND device.push_token_id = released.token_id
    )
    AND NOT EXISTS (
      SELECT FROM client_devices device
      WHERE device.realm_id = released.realm_id AND device.pending_token_id = released.token_id
        AND device.error_code IS NULL
    )`;

const APPS = `
  SELECT coalesce(app_id, '') AS app, count(*)::int AS devices,
    count(*) FILTER (WHERE refreshed_at < $2)::int AS old
  FROM push_registrations WHERE platform = $1 GROUP BY 1`;

const AGE_OUT = `
  DELETE FROM push_registrations WHERE id IN (
    SELECT id FROM push_registrations
    WHERE platform = $1 AND refreshed_at < $2 AND coalesce(app_id, '') = $3
    ORDER BY refreshed_at LIMIT $4 FOR UPDATE SKIP LOCKED
  ) RETURNING realm_id AS "realmId", token_id AS "tokenId", platform`;

const LEARN = `
  UPDATE push_registrations registration SET environment = learnt.environment
  FROM unnest($1::int[], $2::text[]) AS learnt (device_id, environment)
  JOIN client_devices device ON device.id = learnt.device_id
  WHERE registration.realm_id = device.realm_id AND registration.token_id = device.push_token_id`;

/** Stores the tokens that phones have sealed to the push service. */
@Injectable()
export class PushRegistrationRepository {
  constructor(private readonly database: Database) {}

  /** Stores a token, or refreshes it. */
  async register({ realmId, tokenId, platform, token, appId }: NewToken): Promise<void> {
    const target = platform === 'fcm' ? fcmTargetOf(token) : null;
    const values = [realmId, tokenId, platform, token, appId, target];
    await this.database.query('register_push_token', REGISTER, values);
  }

  /** The ids under which an organisation has a token, in any spelling. */
  async idsOf(
    { realmId, platform, token }: Pick<NewToken, 'realmId' | 'platform' | 'token'>,
    session: Session = this.database,
  ): Promise<Buffer[]> {
    const values = [realmId, platform, token];
    const rows = await session.query<{ tokenId: Buffer }>('ids_of_push_token', IDS_OF, values);
    return rows.map(({ tokenId }) => tokenId);
  }

  /** The ids of the registration tokens of an account whose installation id has this id; none for another id. */
  async idsOfInstallation(
    session: Session,
    userId: number,
    installationId: Buffer,
  ): Promise<Buffer[]> {
    const rows = await session.query<{ tokenId: Buffer }>(
      'token_ids_of_installation',
      IDS_OF_INSTALLATION,
      [userId, installationId],
    );
    return rows.map(({ tokenId }) => tokenId);
  }

  /** Removes dead tokens from all organisations, unless they were registered again since. */
  removeDead(transaction: Transaction, dead: readonly DeadToken[]): Promise<RemovedToken[]> {
    return transaction.query<RemovedToken>('remove_dead_push_tokens', REMOVE_DEAD, [
      dead.map(({ platform }) => platform),
      dead.map(({ token }) => token),
      dead.map(({ appId }) => appId),
      dead.map(({ since }) => since),
    ]);
  }

  /** Removes those of the tokens that no device of the organisation has any more. */
  async removeUnused(transaction: Transaction, tokens: readonly RegisteredToken[]): Promise<void> {
    if (tokens.length === 0) return;
    await transaction.query('remove_unused_push_tokens', REMOVE_UNUSED, [
      tokens.map(({ realmId }) => realmId),
      tokens.map(({ tokenId }) => tokenId),
    ]);
  }

  /** The apps of the tokens of a platform (empty for FCM); those registered before `before` are old. */
  apps(platform: PhonePlatform, before: Date): Promise<AgedApp[]> {
    return this.database.query('apps_of_push_tokens', APPS, [platform, before]);
  }

  /** Removes the oldest tokens of an app that were registered before `before`. */
  removeOld(
    transaction: Transaction,
    { platform, app, before }: OldTokens,
    limit: number,
  ): Promise<RemovedToken[]> {
    const values = [platform, before, app, limit];
    return transaction.query<RemovedToken>('remove_old_push_tokens', AGE_OUT, values);
  }

  /** Stores Apple's environments. Ids of other devices are ignored. */
  async learn(learnt: readonly LearntEnvironment[], session: Session): Promise<void> {
    await session.query('learn_push_token_environments', LEARN, [
      learnt.map(({ deviceId }) => deviceId),
      learnt.map(({ environment }) => environment),
    ]);
  }
}
