import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { observeTables } from './observe-tables.js';

describe(observeTables.name, () => {
  it('exports rows and bytes, and reads them once for several scrapes', async () => {
    const metrics = new Metrics();
    let reads = 0;
    observeTables(metrics, async () => {
      reads += 1;
      return [{ table: 'messages', rows: 7, bytes: 8192 }];
    });
    await metrics.read();
    const text = await metrics.read();
    expect(text).toContain('carillon_database_table_rows{table="messages"} 7\n');
    expect(text).toContain('carillon_database_table_bytes{table="messages"} 8192\n');
    expect(reads).toBe(1);
  });
});
