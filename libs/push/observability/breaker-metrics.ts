import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import { boundedLabel, OTHER_REASON } from './bounded-label.rules.js';
import { breakerReports } from './worker-report.js';

const STATES = ['closed', 'half_open', 'open'] as const;

/** Exports the circuit breakers and the prune alarms of this process to Prometheus. */
@Injectable()
export class BreakerMetrics {
  constructor(
    metrics: Metrics,
    @Inject(CircuitBreakers) breakers: Pick<CircuitBreakers, 'statuses'>,
    @Inject(TokenPruneGuard) tokens: Pick<TokenPruneGuard, 'alarms'>,
  ) {
    metrics.gauge(
      {
        name: 'carillon_push_breaker_state',
        help: 'The circuit breaker of a credential: 1 for its state (closed, half_open, open), else 0.',
        labels: ['platform', 'credential', 'state'],
      },
      () =>
        breakerReports(breakers).flatMap(({ key, platform, state: present }) =>
          STATES.map((state) => ({
            labels: { platform, credential: key, state },
            value: state === present ? 1 : 0,
          })),
        ),
    );
    const reasonLabel = boundedLabel();
    metrics.gauge(
      {
        name: 'carillon_push_breaker_cause',
        help: 'Why a circuit breaker is not closed: 1, and only while it is not.',
        labels: ['platform', 'credential', 'cause', 'reason'],
      },
      () =>
        breakerReports(breakers)
          .filter(({ state }) => state !== 'closed')
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
        help: '1 while no dead token of an app is removed, because too many are reported dead.',
        labels: ['platform', 'app'],
      },
      () =>
        tokens.alarms.map(({ key, platform }) => ({
          labels: { platform, app: key },
          value: 1,
        })),
    );
  }
}
