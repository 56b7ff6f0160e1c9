import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from '#platform/database';
import { createTestDatabase, type TestDatabase } from './test-stores.js';

const OTHER_REALM = `INSERT INTO realms (id, subdomain, name) VALUES (0, 'other', 'Other')`;

const OTHER_ACCOUNTS = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
  SELECT 0, n || '@other', n || '@other', 'Other', 400, decode(lpad(to_hex(n), 8, '0'), 'hex'), ''
  FROM generate_series(1, 20000) AS n`;

/** Far more than the accounts of the demo organisation, far fewer than those of the other one. */
const MANY_ACCOUNTS = 2000;

const DEMO = `
  SELECT realm.id AS "realmId",
    (SELECT id FROM users WHERE realm_id = realm.id AND role = 400 ORDER BY id LIMIT 1) AS "userId",
    (SELECT id FROM users WHERE realm_id = realm.id AND role = 600 ORDER BY id LIMIT 1) AS "guestId",
    (SELECT id FROM user_groups WHERE realm_id = realm.id AND name = 'role:administrators') AS "groupId",
    (SELECT id FROM channels WHERE realm_id = realm.id AND is_private ORDER BY id LIMIT 1) AS "channelId",
    (SELECT id FROM messages WHERE realm_id = realm.id ORDER BY id LIMIT 1) AS "messageId"
  FROM realms realm
  WHERE EXISTS (SELECT FROM channels WHERE realm_id = realm.id AND is_private)
  ORDER BY realm.id LIMIT 1`;

const LIMIT_GUESTS = `UPDATE realms SET can_access_all_users_group_id = $1 WHERE id = $2`;

/** Ids of the demo organisation, which limits its guests. The group is that of the administrators, the channel is private. */
interface DemoIds {
  readonly realmId: number;
  readonly userId: number;
  readonly guestId: number;
  readonly groupId: number;
  readonly channelId: number;
  readonly messageId: number;
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs each statement, and counts the accounts that PostgreSQL reads for it. */
class AccountCountingDatabase extends Database {
  #accounts = 0;

  /** The accounts that PostgreSQL reads for the statements of the work. */
  async accountsReadFor(work: (transaction: Transaction) => Promise<unknown>): Promise<number> {
    this.#accounts = 0;
    // Repositories use only the statements of a transaction.
    await work(this as unknown as Transaction);
    return this.#accounts;
  }

  override async query<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const [explained] = await super.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain_${name}`,
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    if (explained !== undefined) this.#accounts += accountsIn(explained['QUERY PLAN'][0].Plan);
    return super.query<Row>(name, text, values);
  }
}

function accountsIn(node: PlanNode): number {
  const read = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] === 'users' ? read * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + accountsIn(child), own);
}

interface World {
  readonly database: AccountCountingDatabase;
  readonly demo: DemoIds;
}

/** The demo organisation beside an organisation with 20,000 accounts, which has a lower id. */
async function createWorld({ url, database: writer }: TestDatabase): Promise<World> {
  const [demo] = await writer.query<DemoIds>('demo', DEMO);
  if (demo === undefined) throw new Error('The demo organisation has no private channel');
  await writer.query('other_realm', OTHER_REALM);
  await writer.query('other_accounts', OTHER_ACCOUNTS);
  await writer.query('limit_guests', LIMIT_GUESTS, [demo.groupId, demo.realmId]);
  await writer.query('statistics', 'VACUUM ANALYZE');
  return { database: new AccountCountingDatabase({ url, poolSize: 1 }), demo };
}

/** Runs statements of repositories for the demo organisation. */
type Work = (database: Database, demo: DemoIds, transaction: Transaction) => Promise<unknown>;

/** Tests that PostgreSQL reads few accounts for the works beside a large organisation. The keys are the names of the tests. */
export function itReadsFewAccountsFor(works: Readonly<Record<string, Work>>): void {
  describe('Beside a large organisation, PostgreSQL reads few accounts for', () => {
    let stores: TestDatabase;
    let world: World;

    beforeAll(async () => {
      stores = await createTestDatabase('demo');
      world = await createWorld(stores);
    });

    afterAll(async () => {
      await world?.database.onApplicationShutdown();
      await stores?.drop();
    });

    it.each(Object.entries(works))('%s', async (_, work) => {
      const { database, demo } = world;
      const read = await database.accountsReadFor((transaction) =>
        work(database, demo, transaction),
      );
      expect(read).toBeLessThan(MANY_ACCOUNTS);
    });
  });
}
