import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { EventStatusService } from '#events/status';
import { type Platform, platforms } from '#push/jobs';
import type { PipelineReport } from '#push/observability';
import {
  credentialsOf,
  platformStatesOf,
  pruneAlarmsOf,
} from '../overview/pipeline-state.rules.js';
import { type PipelineStatus, PipelineStatusService } from '../overview/pipeline-status.service.js';
import { PlatformPauses } from '../platform-pauses.js';
import { OpsController } from './ops-controller.js';

const schema = z.enum(platforms, {
  error: ({ input }) => `There is no platform "${String(input)}": expected ${platforms.join(', ')}`,
});

/** Shows the status of the push pipeline and of events; pauses and resumes a platform. */
@OpsController('ops/api')
export class PipelineController {
  constructor(
    private readonly pipeline: PipelineStatusService,
    private readonly pauses: PlatformPauses,
    private readonly events: EventStatusService,
  ) {}

  @Get('overview')
  async overview() {
    const [status, events] = await Promise.all([this.pipeline.read(), this.events.read()]);
    return { ...overviewAnswer(status), events };
  }

  @Post('platforms/:platform/pause')
  @HttpCode(200)
  async pause(@Param('platform', { schema }) platform: Platform) {
    await this.pauses.pause(platform);
    return {};
  }

  @Post('platforms/:platform/resume')
  @HttpCode(200)
  async resume(@Param('platform', { schema }) platform: Platform) {
    await this.pauses.resume(platform);
    return {};
  }
}

/** The counts of each outcome, one for each step of the history. */
type Series = Readonly<Record<string, readonly number[]>>;

/**
 * The status for the page. A part is null while its store is down: the pipeline is in Redis, the backlog, the phones and
 * the dead letters are in PostgreSQL. Times are UNIX milliseconds.
 */
const overviewAnswer = ({ at, alerts, pipeline, backlog, letters, phones }: PipelineStatus) => ({
  at,
  alerts,
  pipeline: pipeline && pipelineAnswer(pipeline, at),
  backlog,
  phones,
  deadLetters:
    letters?.map(({ oldestAt, ...count }) => ({ ...count, oldestAt: oldestAt.getTime() })) ?? null,
});

const pipelineAnswer = (pipeline: PipelineReport, now: number) => ({
  platforms: platformStatesOf(pipeline, now),
  history: historyOf(pipeline),
  queues: pipeline.queues,
  credentials: credentialsOf(pipeline.workers),
  pruneAlarms: pruneAlarmsOf(pipeline.workers),
  workers: pipeline.workers.map(
    ({ breakers: _breakers, pruneAlarms: _alarms, ...worker }) => worker,
  ),
});

/** The steps as columns, one for each outcome: a third of the bytes of rows. */
function historyOf({ outcomes }: PipelineReport) {
  const names = [...new Set(outcomes.flatMap(({ counts }) => Object.keys(counts)))];
  const seriesOf = (platform: Platform): Series =>
    Object.fromEntries(
      names
        .filter((name) => name.startsWith(`${platform}:`))
        .map((name) => [
          name.slice(platform.length + 1),
          outcomes.map(({ counts }) => counts[name] ?? 0),
        ]),
    );
  return {
    times: outcomes.map(({ at }) => at),
    // One entry for each platform.
    series: Object.fromEntries(
      platforms.map((platform) => [platform, seriesOf(platform)]),
    ) as Record<Platform, Series>,
  };
}
