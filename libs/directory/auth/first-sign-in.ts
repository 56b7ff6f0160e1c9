/** Called at the first sign-in by the password of an account that somebody else has made. */
export interface FirstSignIn {
  record(account: { readonly realmId: number; readonly userId: number }): Promise<void>;
}

/** DI token of the program's FirstSignIn. */
export const FIRST_SIGN_IN = Symbol('FirstSignIn');
