import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { hostAndPort, type ServerAddress } from '#platform/config';
import { errorText, PeriodicTask } from '#platform/core';
import { RecurringError } from '#presence/rpc';
import type { CallCounters } from './client-metrics.js';

/** Resolves an address to servers. Rejects, or resolves to none, on failure. */
export type ResolveAddress = (address: ServerAddress) => Promise<readonly ServerAddress[]>;

/** Limit of servers. A name with more addresses is probably not the name of presence. */
export const MAX_SERVERS = 100;

/** A lookup occupies one of the four threads that the process has for lookups, files and compression. */
const LOOKUPS_AT_ONCE = 2;

/** A server may have addresses of both families. Returns the IPv4 addresses if it has any. */
export function ofOneFamily(hosts: readonly string[]): readonly string[] {
  const four = hosts.filter((host) => isIPv4(host));
  return four.length > 0 ? four : hosts;
}

/** Uses the system's resolver: the hosts file, search domains, and A and AAAA records of DNS. */
export const resolveBySystem: ResolveAddress = async ({ host, port }) => {
  const found = await lookup(host, { all: true });
  return ofOneFamily(found.map(({ address }) => address)).map((one) => ({ host: one, port }));
};

/** `localhost` is not looked up: the connection tries both families. */
const isLookedUp = ({ host }: ServerAddress): boolean =>
  isIP(host) === 0 && host.toLowerCase() !== 'localhost';

/** An address with a name, and the result of its last successful lookup. */
interface HostAddress {
  readonly address: ServerAddress;
  readonly failures: RecurringError;
  found: readonly ServerAddress[];
}

/** The addresses to look up, and how. */
interface DiscoveryOptions {
  /** Names are looked up periodically; IP addresses are used as they are. */
  readonly addresses: readonly ServerAddress[];
  readonly everyMs: number;
  readonly resolve: ResolveAddress;
  readonly counters: CallCounters;
  /** Called with all servers, in ascending order and without duplicates, whenever they change. */
  readonly onChange: (servers: readonly ServerAddress[]) => void;
}

/**
 * Resolves a list of addresses to servers, periodically. While a lookup fails, the previous servers of its name stay in
 * use. A lookup that hangs delays the next round; the system's resolver has its own timeouts.
 */
export class AddressDiscovery {
  readonly #fixed: readonly ServerAddress[];
  readonly #named: readonly HostAddress[];
  readonly #logger = new Logger(AddressDiscovery.name);
  readonly #surplus = new RecurringError(this.#logger);
  readonly #task: PeriodicTask;
  #publishedServers = '';

  constructor(private readonly options: DiscoveryOptions) {
    const { addresses, everyMs } = options;
    this.#fixed = addresses.filter((address) => !isLookedUp(address));
    this.#named = addresses.filter(isLookedUp).map((address) => {
      return { address, failures: new RecurringError(this.#logger), found: [] };
    });
    this.#task = new PeriodicTask(everyMs, () => this.#lookUpAll(), {
      failure: 'The addresses of presence were not looked up',
    });
  }

  /** The number of names without any server so far. */
  get unresolved(): number {
    return this.#named.filter(({ found }) => found.length === 0).length;
  }

  /** Publishes IP addresses at once, and names when they are resolved. */
  start(): void {
    this.#publishServers();
    if (this.#named.length > 0) void this.#lookUpAll().then(() => this.#task.start());
  }

  /** Publishes nothing afterwards. Lookups cannot be cancelled and are not awaited. */
  stop(): void {
    void this.#task.stop();
  }

  /** Never rejects. */
  async #lookUpAll(): Promise<void> {
    const limit = pLimit(LOOKUPS_AT_ONCE);
    await Promise.all(this.#named.map((named) => limit(() => this.#lookUp(named))));
  }

  async #lookUp(named: HostAddress): Promise<void> {
    if (this.#task.isStopping) return;
    try {
      const found = await this.options.resolve(named.address);
      if (found.length === 0) throw new Error('no address');
      named.found = found;
    } catch (error) {
      this.#recordFailure(named, error);
      return;
    }
    this.#publishServers();
  }

  #recordFailure({ address, failures, found }: HostAddress, error: unknown): void {
    if (this.#task.isStopping) return;
    this.options.counters.failedLookups += 1;
    const remains = found.length > 0 ? 'its last addresses are used' : 'it has no address';
    failures.log(`${hostAndPort(address)} was not found, ${remains}: ${errorText(error)}`);
  }

  #publishServers(): void {
    if (this.#task.isStopping) return;
    const found = [...this.#fixed, ...this.#named.flatMap((named) => named.found)];
    const byAddress = new Map(found.map((server) => [hostAndPort(server), server]));
    const used = [...byAddress.keys()].toSorted().slice(0, MAX_SERVERS);
    if (byAddress.size > used.length) {
      this.#surplus.log(`${byAddress.size} servers were found; only ${used.length} are used`);
    }
    const text = used.join(', ');
    if (text === this.#publishedServers) return;
    this.#publishedServers = text;
    this.#logger.log(`The presence processes are ${text}`);
    this.options.onChange(used.flatMap((address) => byAddress.get(address) ?? []));
  }
}
