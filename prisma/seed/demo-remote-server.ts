import { deriveKey } from '#platform/core';
import type { Database } from '#platform/database';
import { TenantRealmRepository, TenantRepository } from '#push/tenants';

/** A server of another installation, which sends notifications through the demo system. */
export interface DemoRemoteServer {
  readonly org_id: string;
  readonly org_key: string;
  readonly realm_uuid: string;
}

/** A UUID of version 4 that is always the same for a secret and a purpose. */
function uuidFrom(secret: Buffer, purpose: string): string {
  const bytes = deriveKey(secret, purpose).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The demo server with its organisation, which are created if they are missing. Its key is derived from the secret, because
 * the database has only a digest of it.
 */
export async function demoRemoteServer(
  database: Database,
  secret: Buffer,
): Promise<DemoRemoteServer> {
  const uuid = uuidFrom(secret, 'id of the demo remote server');
  const key = deriveKey(secret, 'key of the demo remote server').toString('hex');
  const realmUuid = uuidFrom(secret, 'organisation of the demo remote server');
  const servers = new TenantRepository(database);
  const hostname = `${uuid}.remote.test`;
  await servers.add({ uuid, key, hostname, contactEmail: `admin@${hostname}` }, '127.0.0.1');
  const server = await servers.find(uuid);
  const realms = new TenantRealmRepository(database);
  if (server !== null && (await realms.find(realmUuid)) === null) {
    await database.transaction(async (transaction) => {
      await realms.report(transaction, server.serverId, [
        {
          uuid: realmUuid,
          ownerSecret: key,
          host: hostname,
          url: `https://${hostname}`,
          name: 'Remote demo',
          orgType: 0,
          isDeactivated: false,
          createdAt: Date.now() / 1000,
        },
      ]);
    });
  }
  return { org_id: uuid, org_key: key, realm_uuid: realmUuid };
}
