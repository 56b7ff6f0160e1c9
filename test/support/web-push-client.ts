import { createECDH, createHash, randomBytes } from 'node:crypto';
import type { Database } from '#platform/database';

/** The form of a registration. */
interface SubscriptionFields {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly kind: 'browser' | 'unifiedpush';
  readonly vapid_public_key: string;
}

/** A point of P-256 in base64url. */
const newPoint = (): string => createECDH('prime256v1').generateKeys('base64url');

/** Stores a VAPID key that nothing can be signed with, unless there is one; resolves with its public key. */
export async function addVapidKey({ prisma }: Pick<Database, 'prisma'>): Promise<string> {
  const known = await prisma.webPushKey.findFirst({ orderBy: { id: 'desc' } });
  if (known !== null) return Buffer.from(known.publicKey).toString('base64url');
  const publicKey = newPoint();
  await prisma.webPushKey.create({
    data: {
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      sealed: new Uint8Array(),
    },
  });
  return publicKey;
}

/** The fields of a new subscription. */
export const newSubscription = (
  vapidPublicKey: string,
  { kind = 'browser' }: Partial<Pick<SubscriptionFields, 'kind'>> = {},
): SubscriptionFields => ({
  endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(16).toString('base64url')}`,
  p256dh: newPoint(),
  auth: randomBytes(16).toString('base64url'),
  kind,
  vapid_public_key: vapidPublicKey,
});

/** Stores a subscription, as if it had been registered and confirmed; resolves with its id. */
export async function addSubscription(
  database: Pick<Database, 'prisma'>,
  {
    userId,
    kind,
    state,
  }: { readonly userId: number; readonly kind: string; readonly state: string },
): Promise<number> {
  const { endpoint, p256dh, auth } = newSubscription(await addVapidKey(database));
  const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  const newest = await database.prisma.webPushKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const { keyGeneration } = await database.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  const { id } = await database.prisma.webPushSubscription.create({
    data: {
      userId,
      keyGeneration,
      kind,
      state,
      endpoint,
      endpointDigest: new Uint8Array(createHash('sha256').update(endpoint).digest()),
      p256dh: bytesOf(p256dh),
      auth: bytesOf(auth),
      vapidKeyId: newest.id,
      confirmation: new Uint8Array(),
    },
  });
  return id;
}
