import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key of limits per address: an IPv4 address itself, and the /64 network of an IPv6 address, because one IPv6 customer
 * has at least a /64. Other texts are unchanged.
 */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}

/**
 * The URL of an organisation: the external URL of the server for the empty subdomain, otherwise with the subdomain before
 * its host. Without a trailing slash.
 */
export function realmUrl({ origin, protocol, host }: URL, subdomain: string): string {
  return subdomain === '' ? origin : `${protocol}//${subdomain}.${host}`;
}

/** The host name of an organisation without a port. */
export const realmHost = ({ hostname }: URL, subdomain: string): string =>
  subdomain === '' ? hostname : `${subdomain}.${hostname}`;
