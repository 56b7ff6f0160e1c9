import type { ServerResponse } from 'node:http';
import type { ApiError } from '#platform/contracts';
import { onceAnyClosed } from './connections.js';
import { type MemoryBudget, requestMemory } from './memory-budget.js';
import type { SharedBytes } from './sliced-json.js';

/** Smaller responses are not counted: the limits of connections are enough. */
export const LARGE_RESPONSE_BYTES = 65_536;

/** A client that reads a little of its response now and then is disconnected after this time. */
const MAX_SEND_MS = 10 * 60_000;

/**
 * Limits the memory of large responses that are being sent. Without it, an account could request many and read them
 * slowly.
 */
export class ResponseBudget {
  constructor(private readonly memory: MemoryBudget) {}

  /**
   * Reserves the memory of a large response until it is sent, and limits the time for that. Returns the error to send
   * instead if there is no memory. `shared`: see MemoryBudget.
   */
  reserve(
    response: ServerResponse,
    bytes: number,
    owner: string,
    shared: readonly SharedBytes[] = [],
  ): ApiError | null {
    const { socket } = response.req;
    // After its end there are no events that release the memory.
    if (response.destroyed || socket.destroyed) return null;
    // A response that waits for an earlier one of its connection does not notice that the connection closes.
    const until = [response, socket];
    const refusal = this.memory.reserve(bytes, owner, until, shared);
    if (refusal !== null) return refusal;
    const deadline = setTimeout(() => response.destroy(), MAX_SEND_MS).unref();
    onceAnyClosed(until, () => clearTimeout(deadline));
    return null;
  }
}

/** The budget of the process. */
export const responseBudget = new ResponseBudget(requestMemory);
