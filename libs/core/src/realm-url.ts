/**
 * The address at which an organisation is reached: the server's external address itself for the empty
 * subdomain, else the subdomain put before its host. Without a slash at the end.
 */
export function realmUrl(externalUrl: string, subdomain: string): string {
  const url = new URL(externalUrl);
  if (subdomain !== '') url.hostname = `${subdomain}.${url.hostname}`;
  return url.origin;
}
