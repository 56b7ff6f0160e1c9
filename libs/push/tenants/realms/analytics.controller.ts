import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf, SignedInServer } from '#platform/http';
import type { Tenant } from '../servers/tenant.repository.js';
import { readAnalyticsStatus, uploadAnalytics } from './analytics.schema.js';
import { AnalyticsService } from './analytics.service.js';

@Controller()
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Endpoint(readAnalyticsStatus)
  async status(@SignedInServer() server: Tenant) {
    const { realmCount, installationCount, auditLog } = await this.analytics.lastIds(server);
    return {
      last_realm_count_id: realmCount,
      last_installation_count_id: installationCount,
      last_realmauditlog_id: auditLog,
    };
  }

  @Endpoint(uploadAnalytics)
  async upload(
    @SignedInServer() server: Tenant,
    @Parameters() parameters: ParametersOf<typeof uploadAnalytics>,
  ) {
    const realms = await this.analytics.store(server, {
      realmCounts: parameters.realm_counts,
      installationCounts: parameters.installation_counts,
      auditLog: parameters.realmauditlog_rows ?? [],
      realms: parameters.realms,
      version: parameters.version ?? null,
      featureLevel: parameters.api_feature_level ?? null,
    });
    return { realms };
  }
}
