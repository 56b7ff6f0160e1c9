/** The most bytes of an endpoint. */
export const MAX_ENDPOINT_BYTES = 1000;

const HTTPS_PORT = 443;
/** Printable ASCII: a parser of addresses drops other characters without a word. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Two slashes, and no user info: a parser takes more slashes and turns those that lean the other way. */
const FORM = /^https:\/\/[^/\\?@]+(?:[/?]|$)/i;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const LONGEST_NAME = 253;

/** The services of the browsers, which answer as their documentation says. */
const services = {
  mozilla: '*.push.services.mozilla.com',
  google: 'fcm.googleapis.com',
  apple: '*.push.apple.com',
  microsoft: '*.notify.windows.com',
} as const;

/** Where the services of all browsers are. */
export const SERVICE_HOSTS: readonly string[] = Object.values(services);

/** A push service whose answers are known. */
export type KnownService = keyof typeof services;

/** The hosts and ports that subscriptions may name. */
export interface EndpointPolicy {
  /** Names, `*.suffixes` for the names below one, or `*` for all. */
  readonly hosts: readonly string[];
  /** Beside 443. */
  readonly ports: readonly number[];
  /** Names that may have private addresses. */
  readonly privateHosts: readonly string[];
}

/** The parts of the address of a subscription at a push service. */
export interface WebPushEndpoint {
  /** Scheme, host and port as a browser writes them: without 443. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
}

/** The parts of an endpoint; null for one that no push service gives out. */
export function parseEndpoint(text: string): WebPushEndpoint | null {
  // Of ASCII a character is a byte.
  if (text.length > MAX_ENDPOINT_BYTES || !PRINTABLE.test(text) || text.includes('#')) return null;
  if (!FORM.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, origin, pathname, search } = new URL(text);
  if (protocol !== 'https:' || !isDomainName(hostname)) return null;
  const number = port === '' ? HTTPS_PORT : Number(port);
  return { origin, host: hostname, port: number, path: `${pathname}${search}` };
}

/** A parser has made lower case and punycode of it; addresses have digits in their last label, or brackets. */
const isDomainName = (name: string): boolean =>
  name.length <= LONGEST_NAME &&
  name.split('.').every((label) => LABEL.test(label)) &&
  !/(?:^|\.)\d+$/.test(name);

/** Whether subscriptions may have this endpoint. */
export const isEndpointAllowed = (
  { host, port }: Pick<WebPushEndpoint, 'host' | 'port'>,
  policy: EndpointPolicy,
): boolean =>
  (port === HTTPS_PORT || policy.ports.includes(port)) &&
  (host.includes('.') || mayBePrivate({ host }, policy)) &&
  policy.hosts.some((pattern) => isNamed(host, pattern));

/** Whether a host may have private addresses. */
export const mayBePrivate = (
  { host }: Pick<WebPushEndpoint, 'host'>,
  { privateHosts }: Pick<EndpointPolicy, 'privateHosts'>,
): boolean => privateHosts.some((pattern) => isNamed(host, pattern));

/** The service of a browser at this host; null for any other host. */
export function knownServiceOf(host: string): KnownService | null {
  for (const [service, pattern] of Object.entries(services)) {
    // The type of `Object.entries` has texts as keys.
    if (isNamed(host, pattern)) return service as KnownService;
  }
  return null;
}

/** The hosts at which the services have nearly all subscriptions. */
export const USUAL_SERVICE_HOSTS: readonly string[] = [
  'updates.push.services.mozilla.com',
  'fcm.googleapis.com',
  'web.push.apple.com',
];

/**
 * The name of the circuit breaker, and of the prune alarm, for the host of an endpoint. Clients make up names, so there are only a
 * few: the usual hosts of services, one for the others of each service, and one for all hosts that users have chosen.
 */
export function originName(endpoint: string): string {
  const host = parseEndpoint(endpoint)?.host ?? '';
  const service = knownServiceOf(host);
  if (service === null) return 'other hosts';
  return USUAL_SERVICE_HOSTS.includes(host) ? host : services[service];
}

function isNamed(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
