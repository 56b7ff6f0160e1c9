import { Inject, Injectable } from '@nestjs/common';
import { type Clock, CLOCK } from '#core';
import { dayOf } from './activity-spans.rules.js';
import { type OrganisationUsage, UsageReportRepository } from './usage-report.repository.js';

/** What an operator sees of usage. */
export interface UsageReport {
  /** In UTC, as in `2026-11-21`. */
  readonly today: string;
  /** Over how many days hours are counted, today among them. */
  readonly days: number;
  /** The most active first. */
  readonly organisations: readonly OrganisationUsage[];
}

/** Tells how much organisations use their chat; days are those of UTC. */
@Injectable()
export class LookAtUsage {
  constructor(
    private readonly report: UsageReportRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of one organisation by its subdomain, or of all for null; none when there is no such. */
  async execute(days: number, subdomain: string | null): Promise<UsageReport> {
    const today = dayOf(this.clock() / 1000);
    return { today, days, organisations: await this.report.asOf(today, days, subdomain) };
  }
}
