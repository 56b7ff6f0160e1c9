import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type Redis } from '#platform/redis';
import { type GatewayReport, gatewayReport } from './gateway-report.js';

const KEY = 'carillon:events:gateways';
/** A gateway without a report for this time is left out. */
const REPORT_LIFE_MS = 30_000;
const KEY_LIFE_SECONDS = 3600;

/** The reports of the gateways in Redis. They are for the ops page and not a record. */
@Injectable()
export class GatewayReportStore {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Replaces the report of a gateway; rejects while Redis is down. */
  async report(report: GatewayReport): Promise<void> {
    await this.redis.hset(KEY, report.id, JSON.stringify(report));
    await this.redis.expire(KEY, KEY_LIFE_SECONDS);
  }

  /** Removes a gateway that has shut down. */
  async forget(id: string): Promise<void> {
    await this.redis.hdel(KEY, id);
  }

  /** The gateways of the last 30 seconds, the longest running first. Removes older ones; rejects while Redis is down. */
  async recent(now: number): Promise<GatewayReport[]> {
    const texts = Object.entries(await this.redis.hgetall(KEY));
    const reports = texts.map(([id, text]) => ({ id, report: reportOf(text) }));
    const isRecent = (report: GatewayReport | null): report is GatewayReport =>
      report !== null && now - report.reportedAt < REPORT_LIFE_MS;
    const old = reports.filter(({ report }) => !isRecent(report)).map(({ id }) => id);
    if (old.length > 0) await this.redis.hdel(KEY, ...old);
    return reports
      .map(({ report }) => report)
      .filter(isRecent)
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }
}

/** The report of a gateway of another version may differ: it is left out until the versions agree. */
function reportOf(text: string): GatewayReport | null {
  try {
    return gatewayReport.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
