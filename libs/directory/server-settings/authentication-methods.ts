/** The methods of signing in that clients know. */
export const authenticationMethods = [
  'password',
  'dev',
  'email',
  'ldap',
  'remoteuser',
  'github',
  'azuread',
  'gitlab',
  'google',
  'apple',
  'saml',
  'openid connect',
] as const;

type AuthenticationMethod = (typeof authenticationMethods)[number];

/** Accounts sign in with their email address and password, and with nothing else. */
const available: ReadonlySet<AuthenticationMethod> = new Set(['password', 'email']);

/** Whether each method can be used here. */
export const methodAvailability = (): Record<AuthenticationMethod, boolean> => {
  const entries = authenticationMethods.map((method) => [method, available.has(method)] as const);
  // `fromEntries` loses the names; the list has all of them.
  return Object.fromEntries(entries) as Record<AuthenticationMethod, boolean>;
};
