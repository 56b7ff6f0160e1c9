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
  /** Its code; what it permits is for the directory to say. */
  readonly role: number;
  readonly isBot: boolean;
  readonly isPresenceEnabled: boolean;
  /** UNIX seconds. */
  readonly joinedAt: number;
  /** The generation of the API key; devices belong to the key that registered them. */
  readonly keyGeneration: number;
  readonly realm: Realm;
}
