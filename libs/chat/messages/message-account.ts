/** An account of a realm, as the author or a reader of messages. */
export interface MessageAccount {
  readonly userId: number;
  readonly realmId: number;
}
