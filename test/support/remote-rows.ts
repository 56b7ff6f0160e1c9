import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '#platform/database';

type Prisma = Database['prisma'];

/** Stores a server of another installation, as its registration does; resolves with its id. */
export async function addRemoteServer(
  prisma: Prisma,
  more: { readonly deactivatedAt?: Date } = {},
): Promise<number> {
  const { id } = await prisma.remoteServer.create({
    data: {
      uuid: randomUUID(),
      keyHash: randomBytes(32),
      hostname: `${randomUUID()}.test`,
      contactEmail: 'a@b.test',
      ...more,
    },
  });
  return id;
}

/** Stores an organisation of a server, as its upload does; resolves with its id. */
export async function addRemoteRealm(
  prisma: Prisma,
  serverId: number,
  more: { readonly locallyDeletedAt?: Date } = {},
): Promise<number> {
  const { id } = await prisma.remoteRealm.create({
    data: {
      serverId,
      uuid: randomUUID(),
      ownerSecretHash: randomBytes(32),
      host: 'chat.test',
      url: 'https://chat.test',
      name: 'Chat',
      orgType: 0,
      isDeactivated: false,
      createdAt: new Date(),
      ...more,
    },
  });
  return id;
}

/** Stores an Android phone of a server; resolves with its id and its token. */
export async function addRemotePhone(
  prisma: Prisma,
  serverId: number,
  more: {
    readonly realmId?: number;
    /** Of a phone with encrypted notifications. */
    readonly tokenId?: Uint8Array<ArrayBuffer>;
    readonly refreshedAt?: Date;
    readonly expiredAt?: Date;
  } = {},
): Promise<{ readonly id: number; readonly token: string }> {
  const token = randomUUID();
  const { id } = await prisma.remoteDevice.create({
    data: {
      serverId,
      platform: 'fcm',
      token,
      tokenDigest: randomBytes(32),
      ...(more.tokenId === undefined && { userUuid: randomUUID() }),
      ...more,
    },
  });
  return { id, token };
}
