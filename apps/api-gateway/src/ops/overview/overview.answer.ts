import { type Platform, platforms } from '#contracts';
import {
  credentialsOf,
  type PipelineView,
  platformStatesOf,
  pruneAlarmsOf,
  type PushOverviewReport,
} from '#push';

/** Each outcome over the steps of the history. */
type Series = Readonly<Record<string, readonly number[]>>;

/**
 * What the page shows. A part is null when the store that it comes from is away: Redis has the pipeline,
 * PostgreSQL the backlog and the dead letters. Times are UNIX milliseconds.
 */
export const overviewAnswer = ({ at, troubles, pipeline, backlog, letters }: PipelineView) => ({
  at,
  troubles,
  pipeline: pipeline && pipelineAnswer(pipeline, at),
  backlog,
  deadLetters:
    letters?.map(({ oldestAt, ...count }) => ({ ...count, oldestAt: oldestAt.getTime() })) ?? null,
});

const pipelineAnswer = (pipeline: PushOverviewReport, now: number) => ({
  platforms: platformStatesOf(pipeline, now),
  history: historyOf(pipeline),
  queues: pipeline.queues,
  credentials: credentialsOf(pipeline.workers),
  pruneAlarms: pruneAlarmsOf(pipeline.workers),
  workers: pipeline.workers.map(({ gates: _gates, pruneAlarms: _alarms, ...worker }) => worker),
});

/** The steps as columns, one for each outcome: a third of the bytes that rows would be. */
function historyOf({ outcomes }: PushOverviewReport) {
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
