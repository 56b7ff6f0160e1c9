import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { observeProgram } from './observe-program.js';

const fails = () => Promise.reject(new Error('connect ECONNREFUSED'));
const works = () => Promise.resolve();
const pool = { total: 7, idle: 2, waiting: 3, size: 10 };

describe(observeProgram.name, () => {
  it('exports the result of every check, with the level of its failure', async () => {
    const metrics = new Metrics();
    const checks = [
      { name: 'postgresql', check: works },
      { name: 'shutdown', check: fails },
      { name: 'redis', isWarning: true, check: fails },
    ];
    observeProgram(metrics, { checks, pool: () => pool });
    const text = await metrics.read();
    expect(text).toContain('carillon_health_ok{part="postgresql",level="failing"} 1\n');
    expect(text).toContain('carillon_health_ok{part="shutdown",level="failing"} 0\n');
    expect(text).toContain('carillon_health_ok{part="redis",level="warning"} 0\n');
    expect(text).not.toContain('ECONNREFUSED');
  });

  it('exports the connection pool of that moment', async () => {
    const metrics = new Metrics();
    let now = pool;
    observeProgram(metrics, { checks: [], pool: () => now });
    now = { ...pool, waiting: 4 };
    const text = await metrics.read();
    expect(text).toContain('carillon_database_connections{state="idle"} 2\n');
    expect(text).toContain('carillon_database_connections{state="busy"} 5\n');
    expect(text).toContain('carillon_database_pool_size 10\n');
    expect(text).toContain('carillon_database_waiting 4\n');
  });

  it('does not count the statements of the scrape itself', async () => {
    const metrics = new Metrics();
    let now = { ...pool, waiting: 0 };
    metrics.gauge({ name: 'ledger', help: 'Read over the pool.', labels: [] }, async () => {
      now = pool;
      return [];
    });
    observeProgram(metrics, { checks: [], pool: () => now });
    expect(await metrics.read()).toContain('carillon_database_waiting 0\n');
  });
});
