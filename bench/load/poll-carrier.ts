import type { OnlineUser } from '../world/steady-realms.js';
import type { Answer } from './http-connection.js';

/** A poll: a report that its user is active, and what is asked with it. */
export interface Poll {
  readonly user: OnlineUser;
  readonly cursor: number;
  /** No entries are asked for. */
  readonly pingOnly: boolean;
}

/** Takes polls to a server and brings back its answers, many at a time. */
export interface PollCarrier {
  exchange(poll: Poll): Promise<Answer>;
  close(): void;
}

/** Where polls go, and by what: HTTP to a gateway, or its wire to a presence service. */
export interface Reach {
  readonly over: 'http' | 'wire';
  readonly port: number;
}
