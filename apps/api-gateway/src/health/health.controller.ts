import { Controller, Get, Inject, Res } from '@nestjs/common';
import { checkHealth, type HealthCheck } from '#core';
import type { FastifyReply } from 'fastify';

/** DI token of the parts that must work for the gateway to serve. */
export const HEALTH_CHECKS = Symbol('HealthChecks');

@Controller('health')
export class HealthController {
  constructor(@Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[]) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const report = await checkHealth(this.checks);
    reply.status(report.status === 'ok' ? 200 : 503);
    return report;
  }
}
