import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import { TokenChangeRepository } from './changes/token-change.repository.js';

/** On a server that relays: exports the changes that the push service has yet to confirm to Prometheus. */
@Injectable()
export class RelayMetrics {
  constructor(metrics: Metrics, changes: TokenChangeRepository) {
    metrics.gauge(
      {
        name: 'carillon_push_service_changes',
        help: 'Changes of phones that the push service has yet to confirm; the same from every process.',
        labels: [],
      },
      async () => [{ labels: {}, value: (await changes.backlog()).changes }],
    );
    metrics.gauge(
      {
        name: 'carillon_push_service_changes_oldest_seconds',
        help: 'How long ago the oldest of them was made; 0 when there are none.',
        labels: [],
      },
      async () => [{ labels: {}, value: (await changes.backlog()).oldestSeconds }],
    );
  }
}
