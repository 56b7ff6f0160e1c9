import { z } from 'zod';
import type { BlockableConnection, RedisCommands } from '#redis';
import type { PresenceChange } from '../state/presence-entry.js';
import { readChange } from './packed.js';
import { keysOf } from './presence-keys.js';

/** A realm whose changes are wanted, from `position` on; null while it has nothing to continue. */
export interface FollowedRealm {
  readonly realmId: number;
  readonly position: number | null;
  follow(change: PresenceChange): void;
}

const COUNT_PER_STREAM = 1000;

const streamsReply = z
  .array(z.tuple([z.instanceof(Buffer), z.array(z.tuple([z.instanceof(Buffer), fields()]))]))
  .nullable();

function fields() {
  return z.array(z.instanceof(Buffer));
}

/**
 * What a read came to: changes were handed on; there were none for as long as it may wait; or it could not
 * wait, since the keys are on the move between two servers, and looked once.
 */
export type ReadOutcome = 'changes' | 'waited' | 'moving';

/** Reads the streams of realms that are in one slot, or on a single server, and hands every change on. */
export class StreamReader {
  /** `commands` is for what a connection to one server cannot read while keys move between two. */
  constructor(
    private readonly connection: BlockableConnection,
    private readonly commands: RedisCommands,
  ) {}

  /** Hands on what there is, or waits for it. Rejects when Redis is away. */
  async read(realms: readonly FollowedRealm[], blockMs: number): Promise<ReadOutcome> {
    const streams = realms.map((realm) => keysOf(realm.realmId).stream);
    const positions = realms.map(positionOf);
    const reply = await this.connection.run((redis) =>
      redis
        .xreadBuffer(
          'COUNT',
          COUNT_PER_STREAM,
          'BLOCK',
          blockMs,
          'STREAMS',
          ...streams,
          ...positions,
        )
        .catch((error: unknown) => {
          if (isSlotMoving(error)) return 'moving' as const;
          throw error;
        }),
    );
    if (reply !== 'moving') return handOn(realms, reply) ? 'changes' : 'waited';
    await Promise.all(realms.map((realm) => this.#readAlone(realm)));
    return 'moving';
  }

  async #readAlone(realm: FollowedRealm): Promise<void> {
    const { stream } = keysOf(realm.realmId);
    const reply = await this.commands.xreadBuffer(
      'COUNT',
      COUNT_PER_STREAM,
      'STREAMS',
      stream,
      positionOf(realm),
    );
    handOn([realm], reply);
  }
}

const positionOf = ({ position }: FollowedRealm): string => `${position}-0`;

/** Returns whether there was anything. */
function handOn(realms: readonly FollowedRealm[], reply: unknown): boolean {
  const byStream = new Map(realms.map((realm) => [keysOf(realm.realmId).stream, realm]));
  const streams = streamsReply.parse(reply) ?? [];
  for (const [stream, entries] of streams) {
    const realm = byStream.get(stream.toString());
    for (const [id, [, packed]] of entries) {
      if (packed) realm?.follow(readChange(Number.parseInt(id.toString(), 10), packed));
    }
  }
  return streams.length > 0;
}

/** A node has given some of the keys away, or not yet got all of them. */
const isSlotMoving = (error: unknown): boolean =>
  error instanceof Error && /^(?:ASK|TRYAGAIN)\b/.test(error.message);
