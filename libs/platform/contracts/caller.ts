/** The organisation that a request is for. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  readonly isPresenceDisabled: boolean;
}

/** An account of an organisation. */
export interface RealmAccount {
  readonly userId: number;
  readonly realmId: number;
}

/** An account with its name, as people see it. */
export interface NamedAccount {
  readonly id: number;
  readonly fullName: string;
}

/** An account and one of its API keys. */
export interface AccountKey {
  readonly userId: number;
  /** The generation of the API key; devices belong to the key that registered them. */
  readonly keyGeneration: number;
}

/** The signed-in account at the time of the sign-in. */
export interface Caller extends AccountKey {
  readonly deliveryEmail: string;
  /** Its code; what it permits is for the directory to say. */
  readonly role: number;
  readonly isBot: boolean;
  readonly isPresenceEnabled: boolean;
  /** UNIX seconds. */
  readonly joinedAt: number;
  readonly realm: Realm;
}
