import { Injectable } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { remoteErrors } from '../tenants.errors.js';
import type { RemoteServer } from '../servers/tenant.repository.js';
import { type RemoteRealm, RemoteRealmRepository } from './tenant-realm.repository.js';

/** Finds the organisations that requests of servers name. */
@Injectable()
export class RemoteRealms {
  constructor(private readonly realms: RemoteRealmRepository) {}

  /** Null for an unknown organisation. Rejects with ApiError for that of another server. */
  async find({ serverId }: RemoteServer, uuid: string | undefined): Promise<RemoteRealm | null> {
    const realm = uuid === undefined ? null : await this.realms.find(uuid);
    if (realm !== null && realm.serverId !== serverId) {
      throw new ApiError(remoteErrors.realmOfOtherServer);
    }
    return realm;
  }

  /** Rejects with ApiError for an unknown or deleted organisation and that of another server. */
  async require(server: RemoteServer, uuid: string): Promise<RemoteRealm> {
    const realm = await this.find(server, uuid);
    if (realm === null || realm.isDeleted) throw new ApiError(remoteErrors.realmNotRegistered);
    return realm;
  }
}
