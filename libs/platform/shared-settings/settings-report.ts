import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { REDIS, type Redis, ReportStore } from '#platform/redis';

/** What a running program says about its clock and the settings that all programs must share. Times are UNIX milliseconds. */
const settingsReport = z.object({
  id: z.string(),
  program: z.string(),
  release: z.string(),
  host: z.string(),
  pid: z.int(),
  startedAt: z.number(),
  reportedAt: z.number(),
  /** How far its clock is ahead of that of Redis. The previous release does not report it. */
  clockAheadMs: z.number().default(0),
  /** Fingerprints by the names of the variables. */
  settings: z.record(z.string(), z.string()),
});

export type SettingsReport = z.infer<typeof settingsReport>;

/** The reports of all running programs in Redis. */
@Injectable()
export class SettingsReportStore extends ReportStore<SettingsReport> {
  constructor(@Inject(REDIS) redis: Redis) {
    super(redis, { key: 'carillon:program', schema: settingsReport, lifeMs: 30_000 });
  }
}
