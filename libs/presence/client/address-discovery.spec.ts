import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { hostAndPort, type ServerAddress } from '#platform/config';
import {
  AddressDiscovery,
  MAX_SERVERS,
  ofOneFamily,
  resolveBySystem,
  type ResolveAddress,
} from './address-discovery.js';
import { CallCounters } from './client-metrics.js';

const EVERY_MS = 1000;
/** A little more than a period with its maximum jitter, which every period of these tests has. */
const PERIOD_MS = 1300;

/** A resolver with published answers. A name without an answer is not found. */
class FakeDns {
  readonly asked: string[] = [];
  readonly answers = new Map<string, readonly string[] | Promise<readonly string[]>>();

  readonly resolve: ResolveAddress = async ({ host, port }) => {
    this.asked.push(host);
    const answer = await this.answers.get(host);
    if (!answer) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return answer.map((one) => ({ host: one, port }));
  };
}

const parsed = (text: string): ServerAddress[] =>
  text.split(' ').map((item) => {
    const [host = '', port] = item.split(':');
    return { host, port: Number(port) };
  });

describe(AddressDiscovery.name, () => {
  let dns: FakeDns;
  let counters: CallCounters;
  let published: string[];
  let logged: string[];
  let sut: AddressDiscovery;

  const start = (addresses: string): void => {
    sut = new AddressDiscovery({
      addresses: parsed(addresses),
      everyMs: EVERY_MS,
      resolve: dns.resolve,
      counters,
      onChange: (servers) => published.push(servers.map(hostAndPort).join(' ')),
    });
    sut.start();
  };

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    dns = new FakeDns();
    counters = new CallCounters();
    published = [];
    logged = [];
    jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    jest.spyOn(Logger.prototype, 'error').mockImplementation((text) => void logged.push(text));
  });

  afterEach(() => {
    sut.stop();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('publishes IP addresses and localhost at once, without a lookup', async () => {
    start('10.0.0.2:1 localhost:2 10.0.0.1:1 10.0.0.2:1');
    expect(published).toEqual(['10.0.0.1:1 10.0.0.2:1 localhost:2']);
    await pass(10 * PERIOD_MS);
    expect(published).toHaveLength(1);
    expect(dns.asked).toEqual([]);
    expect(sut.unresolved).toBe(0);
  });

  it('publishes all servers of a name, in order, and only when they change', async () => {
    dns.answers.set('presence', ['10.0.0.2', '10.0.0.1']);
    start('presence:9 10.0.0.9:9');
    await pass(0);
    expect(published).toEqual(['10.0.0.9:9', '10.0.0.1:9 10.0.0.2:9 10.0.0.9:9']);
    dns.answers.set('presence', ['10.0.0.1', '10.0.0.2', '10.0.0.1']);
    await pass(PERIOD_MS);
    dns.answers.set('presence', ['10.0.0.3']);
    await pass(PERIOD_MS);
    expect(published.slice(2)).toEqual(['10.0.0.3:9 10.0.0.9:9']);
    expect(dns.asked).toHaveLength(3);
    expect(counters.failedLookups).toBe(0);
  });

  it('keeps the servers of a name while its lookup fails, and logs the failure once a minute', async () => {
    dns.answers.set('presence', ['10.0.0.1']);
    start('presence:9');
    await pass(0);
    dns.answers.delete('presence');
    await pass(10 * EVERY_MS);
    expect(published).toEqual(['10.0.0.1:9']);
    expect(sut.unresolved).toBe(0);
    expect(counters.failedLookups).toBeGreaterThan(5);
    expect(logged).toEqual([
      'presence:9 was not found, its last addresses are used: getaddrinfo ENOTFOUND presence',
    ]);
  });

  it('treats a name without addresses as not found', async () => {
    dns.answers.set('presence', ['10.0.0.1']);
    start('presence:9');
    await pass(0);
    dns.answers.set('presence', []);
    await pass(PERIOD_MS);
    expect(published).toEqual(['10.0.0.1:9']);
    expect(counters.failedLookups).toBe(1);
  });

  it('retries a name that was not found at the start', async () => {
    start('presence:9 other:9');
    await pass(0);
    expect(published).toEqual([]);
    expect(sut.unresolved).toBe(2);
    expect(logged[0]).toContain('presence:9 was not found, it has no address');
    dns.answers.set('other', ['10.0.0.1']);
    await pass(PERIOD_MS);
    expect(published).toEqual(['10.0.0.1:9']);
    expect(sut.unresolved).toBe(1);
  });

  it('publishes the other names while one lookup hangs, and runs at most two lookups at once', async () => {
    dns.answers.set('first', new Promise(() => undefined));
    dns.answers.set('second', ['10.0.0.2']);
    dns.answers.set('third', ['10.0.0.3']);
    start('first:9 second:9 third:9');
    await pass(0);
    expect(published.at(-1)).toBe('10.0.0.2:9 10.0.0.3:9');
    expect(dns.asked).toEqual(['first', 'second', 'third']);
    dns.answers.set('second', new Promise(() => undefined));
    start('first:9 second:9 third:9');
    await pass(10 * PERIOD_MS);
    expect(dns.asked.slice(3)).toEqual(['first', 'second']);
  });

  it('limits the number of servers, independently of their order', async () => {
    const many = Array.from({ length: MAX_SERVERS + 5 }, (_, index) => `10.0.0.${index + 1}`);
    dns.answers.set('presence', many);
    start('presence:9');
    await pass(0);
    dns.answers.set('presence', many.toReversed());
    await pass(PERIOD_MS);
    expect(published).toHaveLength(1);
    expect(published[0]?.split(' ')).toHaveLength(MAX_SERVERS);
    expect(logged).toEqual(['105 servers were found; only 100 are used']);
  });

  it('publishes nothing and looks up nothing after stop', async () => {
    let answer: (hosts: readonly string[]) => void = () => undefined;
    dns.answers.set('presence', new Promise((resolve) => (answer = resolve)));
    start('presence:9');
    await pass(0);
    sut.stop();
    answer(['10.0.0.1']);
    await pass(10 * PERIOD_MS);
    expect(published).toEqual([]);
    expect(dns.asked).toHaveLength(1);
  });
});

describe('resolveBySystem', () => {
  it('reads the hosts file, and keeps the port', async () => {
    expect(await resolveBySystem({ host: 'localhost', port: 9 })).toContainEqual({
      host: '127.0.0.1',
      port: 9,
    });
  });
});

describe(ofOneFamily.name, () => {
  it('prefers IPv4 addresses', () => {
    expect(ofOneFamily(['::1', '127.0.0.1', 'fd00::1', '10.0.0.1'])).toEqual([
      '127.0.0.1',
      '10.0.0.1',
    ]);
    expect(ofOneFamily(['fd00::1', 'fd00::2'])).toEqual(['fd00::1', 'fd00::2']);
  });
});
