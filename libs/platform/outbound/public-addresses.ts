import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name has an address to which this server sends nothing that strangers ask for. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = 'EHOSTUNREACH';
}

/** Whether an address is public unicast: of no local network, and of no translation to one. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** Looks up a name in the system, and fails with PrivateAddress for one of which any address is not public. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new PrivateAddress(`${hostname} has an address that is not public`), '');
    }
    return answerLookup(addresses, options.all === true, callback);
  });
};

/** Looks up every name as these addresses, of which there is one at least: a connection goes where a check was. */
export const lookUpAs =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) =>
    answerLookup([...addresses], options.all === true, callback);

function answerLookup(
  addresses: LookupAddress[],
  isAll: boolean,
  callback: Parameters<LookupFunction>[2],
): void {
  if (isAll) callback(null, addresses);
  else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
}
