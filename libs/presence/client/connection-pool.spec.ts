import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { preferredServer, type RankedServer, seedOf } from './connection-pool.js';

const serverOf = (name: string): RankedServer => ({ name, seed: seedOf(name) });

const always = () => true;

const choose = (realmId: number, servers: readonly RankedServer[]): string | undefined =>
  preferredServer(realmId, servers, always)?.name;

const addresses = fc
  .tuple(fc.ipV4(), fc.integer({ min: 1, max: 65_535 }))
  .map(([host, port]) => `${host}:${port}`);

const someServers = (least: number, most = 20) =>
  fc
    .uniqueArray(addresses, { minLength: least, maxLength: most })
    .map((names) => names.map(serverOf));

const realmId = fc.integer({ min: 1, max: 2_147_483_647 });

/** Consecutive ids, as organisations have. */
const consecutive = (firstId: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => firstId + index);

describe(preferredServer.name, () => {
  it('returns undefined without a server', () => {
    expect(preferredServer(1, [], always)).toBeUndefined();
    expect(preferredServer(1, [serverOf('a:1')], () => false)).toBeUndefined();
  });

  it('chooses the same server in every release', () => {
    const servers = ['10.0.0.1:9993', '10.0.0.2:9993', '10.0.0.3:9993'].map(serverOf);
    const chosen = consecutive(1, 12).map((id) => choose(id, servers)?.at(7));
    expect(chosen.join('')).toBe('333312131132');
  });

  it('decides by name between servers of the same weight', () => {
    const [one, other] = [
      { name: 'a:1', seed: 7 },
      { name: 'b:1', seed: 7 },
    ];
    expect(choose(1, [one, other])).toBe('a:1');
    expect(choose(1, [other, one])).toBe('a:1');
  });

  it('does not depend on the order of the servers', () => {
    fc.assert(
      fc.property(realmId, someServers(1), (id, servers) => {
        expect(choose(id, servers.toReversed())).toBe(choose(id, servers));
      }),
    );
  });

  it('moves organisations only to an added server', () => {
    fc.assert(
      fc.property(realmId, someServers(2), (id, [added, ...servers]) => {
        if (!added) return;
        const before = choose(id, servers);
        expect([before, added.name]).toContain(choose(id, [...servers, added]));
      }),
    );
  });

  it('moves only the organisations of a removed or unavailable server', () => {
    fc.assert(
      fc.property(realmId, someServers(2), (id, servers) => {
        const before = choose(id, servers);
        const [removed] = servers;
        const left = servers.slice(1);
        expect(preferredServer(id, servers, (one) => one !== removed)?.name).toBe(choose(id, left));
        const mayBeNow = before === removed?.name ? left.map(({ name }) => name) : [before];
        expect(mayBeNow).toContain(choose(id, left));
      }),
    );
  });

  it('gives each server an equal part of the organisations, also an added one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), someServers(2, 8), (id, servers) => {
        const realms = 2000;
        const counts = new Map(servers.map(({ name }) => [name, 0]));
        for (const one of consecutive(id, realms)) {
          const name = choose(one, servers) ?? '';
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
        // Six standard deviations of a random assignment: exceeded once in a hundred million runs.
        const part = 1 / servers.length;
        const tolerance = 6 * Math.sqrt(realms * part * (1 - part));
        for (const count of counts.values()) {
          expect(Math.abs(count - realms * part)).toBeLessThan(tolerance);
        }
      }),
      { numRuns: 50 },
    );
  });
});
