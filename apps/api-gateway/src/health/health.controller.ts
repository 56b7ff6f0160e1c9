import { Controller, Get, Inject, Res } from '@nestjs/common';
import { checkHealth, type HealthCheck, type HealthReport } from '#platform/core';
import type { FastifyReply } from 'fastify';

/** DI token of the readiness checks of the gateway. */
export const HEALTH_CHECKS = Symbol('HealthChecks');

/** The report is cached for this time, so that frequent requests do not load the stores. */
const CACHE_MS = 1000;

@Controller('health')
export class HealthController {
  #report: { readonly since: number; readonly found: Promise<HealthReport> } | undefined;

  constructor(@Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[]) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** Returns only the names of failing parts. The port of the metrics has the error texts. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { status, failing, warnings } = await this.#recentReport();
    reply.status(status === 'ok' ? 200 : 503);
    return {
      status,
      failing: namesOf(failing, 'failing'),
      ...(warnings !== undefined && { warnings: namesOf(warnings, 'warning') }),
    };
  }

  #recentReport(): Promise<HealthReport> {
    if (this.#report === undefined || performance.now() - this.#report.since >= CACHE_MS) {
      this.#report = { since: performance.now(), found: checkHealth(this.checks) };
    }
    return this.#report.found;
  }
}

const namesOf = (parts: Readonly<Record<string, string>>, state: string) =>
  Object.fromEntries(Object.keys(parts).map((name) => [name, state]));
