import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, withinDeadline } from '#core';
import { PushBacklog } from '../observe/push-backlog.js';
import { PushOverview } from '../observe/push-overview.js';
import { DeadLetters } from '../operate/dead-letters.js';
import type { PipelineParts } from './pipeline-view.js';
import { type Trouble, troublesOf } from './troubles.rules.js';

/** A store that takes longer counts as away, as it does for health. */
const DEADLINE_MS = 2000;

/** How the push pipeline stands at a moment, in UNIX milliseconds. */
export interface PipelineView extends PipelineParts {
  readonly at: number;
  /** What is wrong, alarms first. */
  readonly troubles: readonly Trouble[];
}

/** Looks over the whole push pipeline for the operator, and says what is wrong with it. */
@Injectable()
export class LookAtPipeline {
  readonly #away = { redis: new Absence(), postgres: new Absence() };

  constructor(
    private readonly overview: PushOverview,
    private readonly deadLetters: DeadLetters,
    private readonly backlog: PushBacklog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Never rejects: of the two stores either may be away, and the other still be looked at. */
  async execute(): Promise<PipelineView> {
    const [pipeline, letters, backlog] = await Promise.all([
      orNull(this.overview.execute()),
      orNull(this.deadLetters.countByReason()),
      orNull(this.backlog.execute()),
    ]);
    const at = this.clock();
    const away = {
      redis: this.#away.redis.since(pipeline === null, at),
      postgres: this.#away.postgres.since(letters === null, at),
    };
    const parts = { pipeline, letters, backlog };
    return { at, ...parts, troubles: troublesOf(parts, away, at) };
  }
}

/** Since when somebody who looks again and again has found a store away. */
class Absence {
  #since: number | null = null;

  since(isAway: boolean, now: number): number | null {
    this.#since = isAway ? (this.#since ?? now) : null;
    return this.#since;
  }
}

const orNull = <Result>(work: Promise<Result>): Promise<Result | null> =>
  withinDeadline<Result | null>(DEADLINE_MS, work, () => null).catch(() => null);
