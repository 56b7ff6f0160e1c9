/** The numbers of roles in the API. A smaller number has more rights. */
export const roles = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

/** True for owners and administrators. */
export const isAdministrator = (role: number): boolean => role <= roles.administrator;

/** The organisation that a request is for. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  readonly isPresenceDisabled: boolean;
}

/** The signed-in account at the time of the sign-in. */
export interface Caller {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly role: number;
  readonly isBot: boolean;
  readonly isPresenceEnabled: boolean;
  /** UNIX seconds. */
  readonly joinedAt: number;
  /** The generation of the API key; devices belong to the key that registered them. */
  readonly keyGeneration: number;
  readonly realm: Realm;
}
