import { type LookupAddress, promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { atMost, errorCode } from '#platform/core';
import { isPublicAddress, lookUpAs, PrivateAddress } from '#platform/outbound';
import { type EndpointPolicy, knownServiceOf, mayBePrivate } from './web-push-endpoint.rules.js';

/** Resolves a name; rejects with an error that has a code. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** For how long the addresses of a name are used. */
const KEPT_MS = 30_000;
const MAX_NAMES = 10_000;
const QUESTION_MS = 2000;
const QUESTION_TRIES = 2;

const unknownNames: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME']);

/** Whether an error says that there is no such name. */
export const isUnknownName = (error: unknown): boolean => unknownNames.has(errorCode(error));

/** Asks the system, which has four questions at a time for the whole process. */
const resolveBySystem: ResolveName = (host) => dns.lookup(host, { all: true });

const resolver = new dns.Resolver({ timeout: QUESTION_MS, tries: QUESTION_TRIES });

/** Asks the servers of names: one that is slow keeps nobody else waiting. */
const resolveByNetwork: ResolveName = async (host) => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
};

/** The addresses of hosts that clients have named, and the check that none of them is of a private network. */
export class CheckedNames {
  readonly #known = new LRUCache<string, Promise<readonly LookupAddress[]>>({
    ...atMost(MAX_NAMES),
    ttl: KEPT_MS,
  });

  constructor(
    private readonly policy: Pick<EndpointPolicy, 'privateHosts'>,
    /** By default the system for the services of browsers and private hosts, and else the servers of names. */
    private readonly resolve?: ResolveName,
  ) {}

  /**
   * The addresses of a host, one at least. Rejects with PrivateAddress if any of them is not public and the operator has not
   * permitted that, and otherwise like the resolver.
   */
  addressesOf(host: string): Promise<readonly LookupAddress[]> {
    const known = this.#known.get(host);
    if (known !== undefined) return known;
    const asked = this.#ask(host);
    this.#known.set(host, asked);
    asked.catch(() => this.#known.delete(host));
    return asked;
  }

  /** For connections: leads to a checked address. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.addressesOf(host)
      .then((addresses) => lookUpAs(addresses))
      .catch((error: NodeJS.ErrnoException): LookupFunction => failing(error))
      .then((lookUp) => lookUp(host, options, callback))
      .catch(() => undefined);
  };

  async #ask(host: string): Promise<readonly LookupAddress[]> {
    const isPrivateAllowed = mayBePrivate({ host }, this.policy);
    const isTrusted = isPrivateAllowed || knownServiceOf(host) !== null;
    const resolve = this.resolve ?? (isTrusted ? resolveBySystem : resolveByNetwork);
    const addresses = await resolve(host);
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
    const isChecked =
      isPrivateAllowed || addresses.every(({ address }) => isPublicAddress(address));
    if (!isChecked) throw new PrivateAddress('A host has an address that is not public');
    return addresses;
  }
}

const failing =
  (error: NodeJS.ErrnoException): LookupFunction =>
  (_host, _options, callback) =>
    callback(error, '');
