import { z } from 'zod';
import type { Topic } from '#platform/redis';

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

/**
 * A kind of revocation. All workers subscribe to its messages. The previous release subscribes by the same names.
 * The prefix is that of the queues.
 */
export interface RevocationKind<Message> {
  readonly topicOf: (prefix: string) => Topic<Message>;
  /** The topic on which workers acknowledge a message. */
  readonly acksOf: (prefix: string, message: Message) => Topic<Ack>;
  readonly revokedBy: (message: Message) => readonly RevokedSubject[];
}

const topic =
  <Message>(source: string, schema: z.ZodType<Message>) =>
  (prefix: string): Topic<Message> => ({ name: `${prefix}:message:${source}`, source, schema });

const acks =
  <Message>(source: string, idOf: (message: Message) => string) =>
  (prefix: string, message: Message): Topic<Ack> => ({
    name: `${prefix}:message:${source}-${idOf(message)}`,
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
  topicOf: topic('withdrawals', keyReplacement),
  acksOf: acks('withdrawal-heard', ({ outboxId }) => outboxId),
  revokedBy: ({ userId, keyGeneration }) => [{ subject: `account ${userId}`, keyGeneration }],
};

const deactivation = z.object({ v: z.literal(1), id: z.uuid(), userIds: z.array(z.int()) });

/** Accounts were deactivated. */
export const deactivatedAccounts: RevocationKind<z.infer<typeof deactivation>> = {
  topicOf: topic('account-deactivations', deactivation),
  acksOf: acks('account-deactivation-acks', ({ id }) => id),
  revokedBy: ({ userIds }) => userIds.map((id) => ({ subject: `account ${id}` })),
};

const deviceRemoval = z.object({ v: z.literal(1), id: z.uuid(), deviceIds: z.array(z.int()) });

/** Devices were removed. */
export const removedDevices: RevocationKind<z.infer<typeof deviceRemoval>> = {
  topicOf: topic('device-removals', deviceRemoval),
  acksOf: acks('device-removal-heard', ({ id }) => id),
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
  topicOf: topic('server-stops', serverStop),
  acksOf: acks('server-stop-acks', ({ id }) => id),
  revokedBy: ({ kind, senderId }) => [{ subject: `${kind} ${senderId}` }],
};
