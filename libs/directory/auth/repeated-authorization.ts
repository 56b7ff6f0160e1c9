import { timingSafeEqual } from 'node:crypto';
import { type Credentials, parseBasicAuthorization } from './basic-authorization.rules.js';

/** A header, and the credentials in it. */
interface ParsedHeader {
  readonly header: string;
  readonly credentials: Credentials;
}

/**
 * The credentials of requests that repeat the `Authorization` header of the previous request of their connection, as most
 * clients do: the header is decoded and hashed once. It stays in memory as long as its connection.
 */
export class RepeatedAuthorization {
  readonly #newest = new WeakMap<object, ParsedHeader>();

  /** Throws like `parseBasicAuthorization`. */
  credentialsOf(connection: object, header: string | undefined): Credentials {
    const known = this.#newest.get(connection);
    if (known !== undefined && header !== undefined && isSameSecret(known.header, header)) {
      return known.credentials;
    }
    const credentials = parseBasicAuthorization(header);
    if (header !== undefined) this.#newest.set(connection, { header, credentials });
    return credentials;
  }
}

/** Compares in constant time: clients behind a proxy share connections. */
function isSameSecret(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
