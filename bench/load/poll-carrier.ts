import type { OnlineUser } from '../world/steady-realms.js';
import type { Answer } from './http-connection.js';

/** A poll: a report that the user is active, and the requested changes. */
export interface Poll {
  readonly user: OnlineUser;
  readonly cursor: number;
  /** Requests no entries. */
  readonly pingOnly: boolean;
}

/** Sends polls to a server and returns its responses. Several polls can be in flight. */
export interface PollCarrier {
  exchange(poll: Poll): Promise<Answer>;
  close(): void;
}

/** The target of polls: a gateway over HTTP, or a presence service over the framed transport. */
export interface Reach {
  readonly over: 'http' | 'wire';
  readonly port: number;
}
