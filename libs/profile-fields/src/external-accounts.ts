/** An account on a site that the server knows: what its field is called, and what its hint is. */
export interface KnownAccount {
  readonly name: string;
  readonly hint: string;
}

/** The subtype of an account on any other site, which gives the pattern of its addresses itself. */
export const CUSTOM_ACCOUNT = 'custom';

/** By subtype. */
export const knownAccounts: ReadonlyMap<string, KnownAccount> = new Map([
  ['twitter', { name: 'Twitter username', hint: '' }],
  ['github', { name: 'GitHub username', hint: '' }],
]);
