/** How a presence process stands at a moment. */
export interface PresenceState {
  /** How long Redis has been away; 0 while it is not. */
  readonly staleMs: number;
  /** Users whose reports wait for Redis. */
  readonly heldUsers: number;
  /** Users whose last seen waits for PostgreSQL. */
  readonly dueUsers: number;
  /** Realms whose mirror follows Redis. */
  readonly followedRealms: number;
  /** Realms that have no mirror, or one that cannot be trusted. */
  readonly otherRealms: number;
  /** Users in all mirrors together. */
  readonly users: number;
  /** The longest that a mirror has been without something that Redis has. */
  readonly mirrorLagMs: number;
}
