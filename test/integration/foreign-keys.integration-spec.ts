import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';

/** Foreign keys without an index that starts with their columns, with the reason. */
const WITHOUT_AN_INDEX = new Map([
  ['attachments.realm_id', 'Organisations are never removed, and no statement filters by it only.'],
  ['message_edits.user_id', 'Accounts are never removed, and statements filter by message.'],
  ['message_reactions.user_id', 'Accounts are never removed, and statements filter by message.'],
  ['submessages.sender_id', 'Accounts are never removed, and statements filter by message.'],
  ['user_activity.user_id', 'No statement uses the table.'],
]);

// A partial index counts if it omits only nulls, which no foreign key looks up.
const UNSUPPORTED = `
  SELECT key.conrelid::regclass || '.' || string_agg(att.attname, ',' ORDER BY place) AS name
  FROM pg_constraint key
  CROSS JOIN unnest(key.conkey) WITH ORDINALITY AS part (attnum, place)
  JOIN pg_attribute att ON att.attrelid = key.conrelid AND att.attnum = part.attnum
  WHERE key.contype = 'f' AND key.connamespace = 'public'::regnamespace
    AND NOT EXISTS (
      SELECT 1 FROM pg_index index
      WHERE index.indrelid = key.conrelid AND index.indisvalid
        AND (index.indpred IS NULL OR pg_get_expr(index.indpred, index.indrelid) = '(' || att.attname || ' IS NOT NULL)')
        AND (index.indkey::int2[])[0:cardinality(key.conkey) - 1] @> key.conkey
    )
  GROUP BY key.oid, key.conrelid ORDER BY 1`;

const stores = useDatabase();

describe('Foreign keys', () => {
  it('have an index on the referencing rows, except for the listed ones', async () => {
    const rows = await stores.database.query<{ name: string }>('unsupported', UNSUPPORTED);
    expect(rows.map(({ name }) => name)).toEqual([...WITHOUT_AN_INDEX.keys()].toSorted());
  });
});
