import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type Redis, ReportStore } from '#platform/redis';
import { type GatewayReport, gatewayReport } from './gateway-report.js';

/** The reports of the gateways in Redis. */
@Injectable()
export class GatewayReportStore extends ReportStore<GatewayReport> {
  constructor(@Inject(REDIS) redis: Redis) {
    super(redis, { key: 'carillon:gateway', schema: gatewayReport, lifeMs: 30_000 });
  }
}
