import { checkHealth, type HealthCheck } from '#platform/core';
import type { Metrics, Sample } from './metrics.js';

/** The connections of a pool, as numbers. */
export interface PoolState {
  /** Open connections. */
  readonly total: number;
  /** Open connections that no statement uses. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** The most connections that may be open. */
  readonly size: number;
}

/**
 * Exports the health checks and the connection pool of a program. Each scrape runs the checks, which have time limits
 * of their own.
 */
export function observeProgram(
  metrics: Metrics,
  { checks, pool }: { readonly checks: readonly HealthCheck[]; readonly pool: () => PoolState },
): void {
  metrics.gauge(
    {
      name: 'carillon_health_ok',
      help: 'A part of the program: 1 if it works, else 0. The level is that of its failure.',
      labels: ['part', 'level'],
    },
    () => healthOf(checks),
  );
  // Before other metrics are read over the same pool: a scrape must not count its own statements.
  let state = pool();
  metrics.onScrape(() => {
    state = pool();
  });
  metrics.gauge(
    {
      name: 'carillon_database_connections',
      help: 'Connections to PostgreSQL, by state.',
      labels: ['state'],
    },
    () => {
      const { total, idle } = state;
      return [
        { labels: { state: 'idle' }, value: idle },
        { labels: { state: 'busy' }, value: total - idle },
      ];
    },
  );
  metrics.gauge(
    {
      name: 'carillon_database_pool_size',
      help: 'The most connections to PostgreSQL that this process opens.',
      labels: [],
    },
    () => [{ labels: {}, value: state.size }],
  );
  metrics.gauge(
    {
      name: 'carillon_database_waiting',
      help: 'Callers that wait for a connection to PostgreSQL.',
      labels: [],
    },
    () => [{ labels: {}, value: state.waiting }],
  );
}

async function healthOf(checks: readonly HealthCheck[]): Promise<Sample<'part' | 'level'>[]> {
  const { failing, warnings = {} } = await checkHealth(checks);
  return checks.map(({ name, isWarning = false }) => ({
    labels: { part: name, level: isWarning ? 'warning' : 'failing' },
    value: name in failing || name in warnings ? 0 : 1,
  }));
}
