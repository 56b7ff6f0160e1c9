/** Characters that end a host in a URL, or that a URL parser ignores. */
const NOT_OF_HOSTS = /[\s/?#\\@]/;

/** A host name and the port beside it. */
interface Host {
  readonly name: string;
  /** With its colon; empty for none and for that of HTTPS. */
  readonly port: string;
}

/**
 * A host as the URL parser writes it: in lower case, in Punycode, an address in its usual form, without the port of HTTPS; and
 * without a dot at the end of the name. Two texts mean the same host if and only if this is the same. Null for a text that is
 * no host.
 */
export function hostIn(text: string): Host | null {
  const address = `https://${text}`;
  if (NOT_OF_HOSTS.test(text) || !URL.canParse(address)) return null;
  const { hostname, port } = new URL(address);
  const name = hostname.replace(/\.$/, '');
  return name === '' ? null : { name, port: port === '' ? '' : `:${port}` };
}

/** The same as a text; null for a text that is no host. */
export function normalizedHost(text: string): string | null {
  const host = hostIn(text);
  return host && host.name + host.port;
}
