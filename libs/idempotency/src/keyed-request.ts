/** A request that its sender has given a name, so that it can be repeated without being carried out again. */
export interface KeyedRequest {
  readonly userId: number;
  /** The account's own name for it. */
  readonly key: string;
  /** Of what it asks for, by `requestDigest`. */
  readonly digest: Buffer;
}
