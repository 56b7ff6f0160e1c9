import { hostIn } from '#platform/contracts';

/** The subdomain of the organisation of the system bots. No host name reaches it, because it has a dot. */
export const SYSTEM_SUBDOMAIN = 'system.invalid';

/** The names of the loopback interface, which are equivalent. */
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The subdomain of the organisation in a `Host` header: the label before the server's external host, the empty string
 * for the external host itself, null for any other host. Ports are ignored.
 */
export function subdomainOfHost(hostHeader: string, { hostname: external }: URL): string | null {
  const host = hostName(hostHeader);
  if (host === external) return '';
  if (loopbackNames.has(host) && loopbackNames.has(external)) return '';
  if (!host.endsWith(`.${external}`)) return null;
  const label = host.slice(0, -external.length - 1);
  return label === '' || label.includes('.') ? null : label;
}

/** A name that is written as the URL parser writes it. Its last label has a letter first: it is no address. */
const PLAIN = /^(?:[a-z\d-]+\.)*[a-z][a-z\d-]*(?::\d*)?$/;

function hostName(header: string): string {
  // Every request has a host, and most are plain.
  const host = PLAIN.test(header) ? null : hostIn(header);
  return host?.name ?? header.toLowerCase().replace(/:\d*$/, '');
}

/** A label of a host name (RFC 1123), in lower case. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a valid subdomain; the empty one is the external host itself. */
export const isSubdomain = (text: string): boolean => text === '' || LABEL.test(text);
