import { Injectable } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { tenantErrors } from '../tenants.errors.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { type TenantRealm, TenantRealmRepository } from './tenant-realm.repository.js';

/** Finds the organisations that requests of servers name. */
@Injectable()
export class TenantRealms {
  constructor(private readonly realms: TenantRealmRepository) {}

  /** Null for an unknown organisation. Rejects with ApiError for that of another server. */
  async find({ serverId }: Tenant, uuid: string | undefined): Promise<TenantRealm | null> {
    const realm = uuid === undefined ? null : await this.realms.find(uuid);
    if (realm !== null && realm.serverId !== serverId) {
      throw new ApiError(tenantErrors.realmOfOtherServer);
    }
    return realm;
  }

  /** Rejects with ApiError for an unknown or deleted organisation and that of another server. */
  async require(server: Tenant, uuid: string): Promise<TenantRealm> {
    const realm = await this.find(server, uuid);
    if (realm === null || realm.isDeleted) throw new ApiError(tenantErrors.realmNotRegistered);
    return realm;
  }
}
