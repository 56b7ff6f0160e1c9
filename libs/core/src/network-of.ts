import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The part of an address that limits are counted by: an IPv4 address itself, and the /64 network of an
 * IPv6 address, because one IPv6 customer has at least a whole /64. Any other text stays as it is.
 */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
