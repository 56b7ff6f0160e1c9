/** A credential cannot be used. The message says which, where it was read from, and what to do; no secret is in it. */
export class CredentialFault extends Error {
  override readonly name = 'CredentialFault';
}
