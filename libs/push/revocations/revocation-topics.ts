import { z } from 'zod';
import type { Topic } from '#platform/queue';

/** A part of a push that can be revoked; servers and realms are those of the push service. */
export type PushSubject = `${'account' | 'device' | 'server' | 'realm'} ${number}`;

/** The pushes that a message revokes: those that were claimed before, or only those to devices of older keys. */
export interface RevokedSubject {
  readonly subject: PushSubject;
  readonly keyGeneration?: number;
}

const ack = z.object({ v: z.literal(1).default(1) });

/** A worker has acknowledged a revocation. */
type Ack = z.infer<typeof ack>;

/** A kind of revocation. All workers subscribe to its messages. The previous release subscribes by the same names. */
export interface RevocationKind<Message> {
  readonly topic: Topic<Message>;
  /** The topic on which workers acknowledge a message. */
  readonly acksOf: (message: Message) => Topic<Ack>;
  readonly revokedBy: (message: Message) => readonly RevokedSubject[];
}

const topic = <Message>(name: string, schema: z.ZodType<Message>): Topic<Message> => ({
  name,
  source: name,
  schema,
});
const acks = (source: string, id: string): Topic<Ack> => ({
  name: `${source}-${id}`,
  source,
  schema: ack,
});

const keyReplacement = z.object({
  // An older release writes no version.
  v: z.literal(1).default(1),
  outboxId: z.string(),
  userId: z.int(),
  /** Devices of older keys receive nothing any more. */
  keyGeneration: z.int(),
});

/** An account has a new API key. */
export const replacedKeys: RevocationKind<z.infer<typeof keyReplacement>> = {
  topic: topic('withdrawals', keyReplacement),
  acksOf: ({ outboxId }) => acks('withdrawal-heard', outboxId),
  revokedBy: ({ userId, keyGeneration }) => [{ subject: `account ${userId}`, keyGeneration }],
};

const deactivation = z.object({ v: z.literal(1), id: z.uuid(), userIds: z.array(z.int()) });

/** Accounts were deactivated. */
export const deactivatedAccounts: RevocationKind<z.infer<typeof deactivation>> = {
  topic: topic('account-deactivations', deactivation),
  acksOf: ({ id }) => acks('account-deactivation-acks', id),
  revokedBy: ({ userIds }) => userIds.map((id) => ({ subject: `account ${id}` })),
};

const deviceRemoval = z.object({ v: z.literal(1), id: z.uuid(), deviceIds: z.array(z.int()) });

/** Devices were removed. */
export const removedDevices: RevocationKind<z.infer<typeof deviceRemoval>> = {
  topic: topic('device-removals', deviceRemoval),
  acksOf: ({ id }) => acks('device-removal-heard', id),
  revokedBy: ({ deviceIds }) => deviceIds.map((id) => ({ subject: `device ${id}` })),
};

const serverStop = z.object({
  v: z.literal(1),
  id: z.uuid(),
  kind: z.enum(['server', 'realm']),
  /** The id of the row. */
  senderId: z.int(),
});

/** A server or an organisation at the push service was stopped, or a server has ended its registration. */
export const stoppedServers: RevocationKind<z.infer<typeof serverStop>> = {
  topic: topic('server-stops', serverStop),
  acksOf: ({ id }) => acks('server-stop-acks', id),
  revokedBy: ({ kind, senderId }) => [{ subject: `${kind} ${senderId}` }],
};
