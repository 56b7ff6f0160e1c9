import { Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock, withinDeadline } from '#platform/core';
import { Database } from '#platform/database';
import { type PhoneCount, PipelineReader, PushBacklog } from '#push/observability';
import { DeadLetterRepository } from '../dead-letter.repository.js';
import type { Alert } from './alert.js';
import { type DownSince, evaluateAlerts, type PipelineParts } from './alerts.rules.js';

/** A store that takes longer counts as down, as it does for health. */
const DEADLINE_MS = 2000;

/** The status of the push pipeline at a time in UNIX milliseconds. */
export interface PipelineStatus extends PipelineParts {
  readonly at: number;
  /** Alarms first. */
  readonly alerts: readonly Alert[];
  /** From PostgreSQL; null also while counting takes too long. */
  readonly phones: readonly PhoneCount[] | null;
}

/** Reads the status of the push pipeline and evaluates its alerts, for operators. */
@Injectable()
export class PipelineStatusService {
  #downSince: DownSince = { redis: null, postgres: null };

  constructor(
    private readonly pipeline: PipelineReader,
    private readonly letters: DeadLetterRepository,
    private readonly backlog: PushBacklog,
    private readonly database: Database,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Never rejects: each of the two stores may be down. */
  async read(): Promise<PipelineStatus> {
    const [pipeline, letters, backlog, phones, isReadOnly] = await Promise.all([
      orNull(this.pipeline.read()),
      orNull(this.letters.countByReason()),
      orNull(this.backlog.pending()),
      orNull(this.backlog.phones()),
      orNull(this.database.isReadOnly()),
    ]);
    const at = this.clock();
    this.#downSince = {
      redis: pipeline === null ? (this.#downSince.redis ?? at) : null,
      postgres: letters === null ? (this.#downSince.postgres ?? at) : null,
    };
    const parts = { pipeline, letters, backlog, isReadOnly };
    return { at, ...parts, phones, alerts: evaluateAlerts(parts, this.#downSince, at) };
  }
}

const orNull = <Result>(work: Promise<Result>): Promise<Result | null> =>
  withinDeadline<Result | null>(DEADLINE_MS, work, () => null).catch(() => null);
