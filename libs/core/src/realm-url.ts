/**
 * The address at which an organisation is reached: the server's external address itself for the empty
 * subdomain, else the subdomain put before its host. Without a slash at the end.
 */
export function realmUrl({ origin, protocol, host }: URL, subdomain: string): string {
  return subdomain === '' ? origin : `${protocol}//${subdomain}.${host}`;
}

/** The host name of an organisation, without a port. */
export const realmHost = ({ hostname }: URL, subdomain: string): string =>
  subdomain === '' ? hostname : `${subdomain}.${hostname}`;
