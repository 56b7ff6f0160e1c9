import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#telemetry';
import { CallCounters } from '../rpc/call-counters.js';
import { observeCalls } from './observe-calls.js';

describe(observeCalls.name, () => {
  it('tells what came of calls, how long they took, and whom they may go to', async () => {
    const metrics = new Metrics();
    const counters = new CallCounters();
    const client = { counters, heldUsers: 3, heldDropped: 1, openConnections: 1, addresses: 2 };
    observeCalls(metrics, client);
    counters.results.answered = 9;
    counters.retried = 2;
    counters.refusedConnections = 4;
    counters.answeredSeconds.observe(0.002);
    const text = await metrics.read();
    for (const line of [
      'calls_total{result="answered"} 9',
      'calls_total{result="unanswered"} 0',
      'calls_total{result="refused"} 0',
      'retries_total 2',
      'refused_connections_total 4',
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
