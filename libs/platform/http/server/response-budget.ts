import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError, type Caller, requestErrors } from '#platform/contracts';
import { addToCount } from '#platform/core';
import { onceAnyClosed } from './connections.js';

/** Smaller responses are not counted: the limits of connections are enough. */
export const LARGE_RESPONSE_BYTES = 65_536;

/** The memory limit for all large responses. */
const MAX_BYTES = 256 * 1_048_576;

/** The memory limit for the large responses of one account or address. One response may be larger. */
const MAX_OWN_BYTES = 64 * 1_048_576;

/** A client that reads a little of its response now and then is disconnected after this time. */
const MAX_SEND_MS = 10 * 60_000;

interface BudgetLimits {
  readonly bytes: number;
  readonly ownBytes: number;
}

/**
 * Limits the memory of large responses that are being sent. Without it, an account could request many and read them
 * slowly.
 */
export class ResponseBudget {
  readonly #usedByOwner = new Map<string, number>();
  #usedBytes = 0;

  constructor(
    private readonly limits: BudgetLimits = { bytes: MAX_BYTES, ownBytes: MAX_OWN_BYTES },
  ) {}

  /**
   * Reserves the memory of a large response until it is sent, and limits the time for that. Returns the error to send
   * instead if there is no memory: `rateLimited` if its owner uses too much, otherwise `temporarilyUnavailable`.
   */
  reserve(response: ServerResponse, bytes: number, owner: string): ApiError | null {
    const { socket } = response.req;
    // After its end there are no events that release the memory.
    if (response.destroyed || socket.destroyed) return null;
    const own = this.#usedByOwner.get(owner) ?? 0;
    if (own > 0 && own + bytes > this.limits.ownBytes)
      return new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
    if (this.#usedBytes + bytes > this.limits.bytes)
      return new ApiError(requestErrors.temporarilyUnavailable);
    this.#charge(owner, bytes);
    const deadline = setTimeout(() => response.destroy(), MAX_SEND_MS).unref();
    // A response that waits for an earlier one of its connection does not notice that the connection closes.
    onceAnyClosed([response, socket], () => {
      clearTimeout(deadline);
      this.#charge(owner, -bytes);
    });
    return null;
  }

  #charge(owner: string, bytes: number): void {
    this.#usedBytes += bytes;
    addToCount(this.#usedByOwner, owner, bytes);
  }
}

/** The account or the server of a request; its address without a sign-in. An account and a server may have the same id. */
export function ownerOf({
  authenticated,
  ip,
}: Pick<FastifyRequest, 'authenticated' | 'ip'>): string {
  const { caller, server } = authenticated ?? {};
  if (caller) return ownerOfAccount(caller);
  return server ? `server ${server.serverId}` : ip;
}

/** The same for a request of a known account. */
export const ownerOfAccount = ({ userId }: Pick<Caller, 'userId'>): string => `account ${userId}`;

/** The budget of the process. */
export const responseBudget = new ResponseBudget();
