import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '#telemetry';
import { boundedLabel, OTHER_REASON } from './bounded-label.rules.js';
import { GATE_STATUSES, type GateStatuses } from './gate-statuses.js';

const MOST_REASONS = 60;

/** Tells Prometheus how this process's ways to the providers stand. */
@Injectable()
export class GateMetrics {
  constructor(metrics: Metrics, @Inject(GATE_STATUSES) statuses: GateStatuses) {
    metrics.gauge(
      {
        name: 'carillon_push_breaker_open',
        help: 'Whether pushes are stopped for a credential: 0 they go out, 0.5 one tries, 1 stopped.',
        labels: ['platform', 'credential'],
      },
      () =>
        statuses.all().map(({ key, platform, state }) => ({
          labels: { platform, credential: key },
          value: BREAKER[state],
        })),
    );
    const reasonLabel = boundedLabel(MOST_REASONS);
    metrics.gauge(
      {
        name: 'carillon_push_breaker_cause',
        help: 'Why pushes are stopped for a credential: 1, and only while they are.',
        labels: ['platform', 'credential', 'cause', 'reason'],
      },
      () =>
        statuses
          .all()
          .filter(({ state }) => state !== 'open')
          .map(({ key, platform, cause, reason }) => ({
            labels: {
              platform,
              credential: key,
              cause: cause ?? OTHER_REASON,
              reason: reasonLabel(reason ?? OTHER_REASON),
            },
            value: 1,
          })),
    );
    metrics.gauge(
      {
        name: 'carillon_push_prune_alarm',
        help: '1 while no dead token of an app is removed, because too many were called dead.',
        labels: ['platform', 'app'],
      },
      () =>
        statuses.alarms().map(({ key, platform }) => ({
          labels: { platform, app: key },
          value: 1,
        })),
    );
  }
}

/** A breaker is open when nothing flows: the other way round than a gate. */
const BREAKER = { open: 0, probing: 0.5, shut: 1 } as const;
