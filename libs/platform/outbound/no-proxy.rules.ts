import { BlockList, isIP } from 'node:net';

/** Decides whether a host is reached without the proxy. */
export type ProxyExemption = (host: string, port: number) => boolean;

/** One entry: a name, a suffix that begins with a dot, or a network; with a port it holds for that port only. */
interface Entry {
  readonly text: string;
  readonly port: number | null;
}

/** The name without a dot at its end, in lower case; addresses without brackets. */
const comparable = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

function entryOf(item: string): Entry {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(item) ?? [];
  if (port === undefined) return { text: comparable(item), port: null };
  return { text: comparable(inBrackets ?? plain ?? ''), port: Number(port) };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  if (isIP(base) === 0 || isIP(base) !== isIP(address)) return false;
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (length < 0 || length > (isIP(base) === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(base, length, familyOf(base));
  return list.check(address, familyOf(address));
}

function isSameAddress(address: string, other: string): boolean {
  if (isIP(other) === 0 || isIP(address) !== isIP(other)) return false;
  const list = new BlockList();
  list.addAddress(other, familyOf(other));
  return list.check(address, familyOf(address));
}

function isNamed(host: string, { text }: Entry): boolean {
  if (text === '*') return true;
  if (isIP(host) > 0) {
    return text.includes('/') ? isInNetwork(host, text) : isSameAddress(host, text);
  }
  const suffix = text.startsWith('*.') ? text.slice(1) : text;
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix;
}

const loopbackNetworks = ['127.0.0.0/8', '::1/128'];

/** Whether a name or an address is of this machine only. */
const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  loopbackNetworks.some((network) => isIP(host) > 0 && isInNetwork(host, network));

/**
 * The hosts of `NO_PROXY`, which has commas or spaces between its entries: `*` for all, a name for that name alone, `.name` or
 * `*.name` for the names below it, an address, or a network such as `10.0.0.0/8` for addresses that are written as such. Loopback
 * is always exempt.
 */
export function exemptionOf(noProxy: string): ProxyExemption {
  const entries = noProxy
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .map(entryOf);
  return (given, port) => {
    const host = comparable(given);
    if (isOfThisMachine(host)) return true;
    return entries.some(
      (entry) => (entry.port === null || entry.port === port) && isNamed(host, entry),
    );
  };
}
