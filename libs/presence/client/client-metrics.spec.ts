import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { CallCounters, observeCalls } from './client-metrics.js';

describe(observeCalls.name, () => {
  it('exports the results and durations of calls, and the number of connections', async () => {
    const metrics = new Metrics();
    const counters = new CallCounters();
    const client = {
      counters,
      bufferedUsers: 3,
      bufferDropped: 1,
      openConnections: 1,
      addresses: 2,
    };
    observeCalls(metrics, client);
    counters.results.answered = 9;
    counters.retried = 2;
    counters.refusedConnections = 4;
    counters.failedLookups = 5;
    counters.answeredSeconds.observe(0.002);
    const text = await metrics.read();
    for (const line of [
      'calls_total{result="answered"} 9',
      'calls_total{result="unanswered"} 0',
      'calls_total{result="refused"} 0',
      'retries_total 2',
      'refused_connections_total 4',
      'failed_lookups_total 5',
      'held_dropped_total 1',
      'call_seconds_bucket{le="0.001"} 0',
      'call_seconds_bucket{le="0.0025"} 1',
      'held_users 3',
      'connections 1',
      'addresses 2',
    ]) {
      expect(text).toContain(`carillon_presence_client_${line}\n`);
    }
  });
});
