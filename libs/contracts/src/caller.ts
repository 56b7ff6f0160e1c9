/** The organisation that a request is for. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  readonly isPresenceDisabled: boolean;
}

/** The account that a request is signed in as, as of the sign-in. */
export interface Caller {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly role: number;
  readonly isBot: boolean;
  readonly isPresenceEnabled: boolean;
  /** UNIX seconds. */
  readonly joinedAt: number;
  /** Which of the account's API keys signed in; devices belong to the key that registered them. */
  readonly keyGeneration: number;
  readonly realm: Realm;
}
