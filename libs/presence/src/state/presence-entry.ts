/** One user's state as it is stored. Times are UNIX seconds. */
export interface PresenceEntry {
  readonly userId: number;
  /** 0: never reported active. */
  readonly activeAt: number;
  readonly idleAt: number;
  /** Shown where the user was never active; else it may be 0, since Redis keeps it no longer. */
  readonly joinedAt: number;
  /** When the user last stopped or began sharing presence: what was seen until then stays hidden. 0: never. */
  readonly hiddenAt: number;
  /** Nobody is told of the user. Says only what has been published; the account itself may be ahead. */
  readonly isDeactivated: boolean;
  /** The update id, in microseconds since 1970 or just above; greater means later. */
  readonly id: number;
}

/** An entry as it was published, with what it continues. */
export interface PresenceChange {
  readonly entry: PresenceEntry;
  /** Drawn when Redis's state of the realm was made. Ids continue each other only within one epoch. */
  readonly epoch: number;
  /** The update id published just before. */
  readonly previousId: number;
}
