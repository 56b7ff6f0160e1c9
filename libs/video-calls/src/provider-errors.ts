/** A provider takes a code, a token or a refresh token no more: the account has to agree again. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

/** A provider could not be reached in time, or did not answer with what it was asked for. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}
