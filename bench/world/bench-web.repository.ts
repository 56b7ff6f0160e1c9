import type { Database } from '#platform/database';
import { WebPushKeyRepository, WebPushKeys } from '#push/providers';

// The same row as after a confirmed registration.
const SUBSCRIPTIONS = `
  INSERT INTO web_push_subscriptions (
    user_id, key_generation, kind, endpoint, endpoint_digest, p256dh, auth, vapid_key_id, state,
    confirmation, confirmed_at
  )
  SELECT account.id, account.key_generation, 'browser', given.endpoint,
    sha256(convert_to(given.endpoint, 'UTF8')), given.p256dh, given.auth, $5, 'active', '', now()
  FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bytea[])
    AS given (user_id, endpoint, p256dh, auth)
  JOIN users account ON account.id = given.user_id
  RETURNING id, user_id AS "userId"`;

/** A subscription of Web Push of an account, as its browser has made it. The keys are in base64url. */
export interface BenchSubscription {
  readonly userId: number;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Writes the subscriptions of Web Push of the bench to the database. */
export class BenchWebRepository {
  constructor(private readonly database: Database) {}

  /** Makes the VAPID key of the run; resolves with its id. */
  async makeKey(secret: Buffer): Promise<number> {
    const keys = new WebPushKeys(new WebPushKeyRepository(this.database), secret);
    return (await keys.idOf(await keys.add())) ?? 0;
  }

  /** Stores confirmed subscriptions; resolves with the id of the last one of each account. */
  async createSubscriptions(
    subscriptions: readonly BenchSubscription[],
    keyId: number,
  ): Promise<ReadonlyMap<number, number>> {
    const bytes = (text: string) => Buffer.from(text, 'base64url');
    const rows = await this.database.query<{ id: number; userId: number }>(
      'bench_subscriptions_web',
      SUBSCRIPTIONS,
      [
        subscriptions.map(({ userId }) => userId),
        subscriptions.map(({ endpoint }) => endpoint),
        subscriptions.map(({ p256dh }) => bytes(p256dh)),
        subscriptions.map(({ auth }) => bytes(auth)),
        keyId,
      ],
    );
    // On a server with older rows, autovacuum would already have collected these statistics.
    await this.database.query('bench_analyze_web', 'ANALYZE web_push_subscriptions');
    return new Map(rows.map(({ id, userId }) => [userId, id]));
  }
}
