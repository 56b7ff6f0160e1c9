import { describe, expect, it } from '@jest/globals';
import type { ServerFacts } from '#platform/database';
import type { RedisFacts } from '#platform/redis';
import {
  alertFindings,
  credentialFindings,
  diskFindings,
  lacksMigrations,
  memoryFindings,
  migrationFindings,
  postgresqlFindings,
  readinessFindings,
  redisFindings,
} from './findings.js';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

const server: ServerFacts = {
  version: '18.4',
  versionNumber: 180_004,
  now: new Date(NOW),
  isStandby: false,
  maxConnections: 97,
  usedConnections: 30,
  databaseBytes: 2 ** 30,
  foldsLetters: true,
  foreignTimeZone: null,
  oldestTransactionSeconds: null,
  forbiddenTables: [],
  isReadOnly: false,
  invalidIndexes: [],
};

const redis: RedisFacts = {
  version: '8.2.3',
  now: new Date(NOW),
  role: 'master',
  evictionPolicy: 'noeviction',
  usedBytes: 2 ** 20,
  maxBytes: 2 ** 30,
  hasAppendOnlyFile: true,
  isPersisted: true,
  refused: [],
};

const healthy = { level: 'ok', advice: null };

describe(postgresqlFindings.name, () => {
  it('finds nothing wrong with a usual server', () => {
    const found = postgresqlFindings(server, 4999);
    expect(found).toEqual([{ ...healthy, part: 'PostgreSQL', text: 'Version 18.4, 1.0 GiB.' }]);
  });

  it.each<[string, Partial<ServerFacts>, string, RegExp]>([
    ['an old version', { versionNumber: 150_004, version: '15.4' }, 'warning', /version 15\.4/],
    ['a standby', { isStandby: true }, 'problem', /standby/],
    ['a role that only reads', { isReadOnly: true }, 'problem', /read-only/],
    ['a locale with ASCII letters only', { foldsLetters: false }, 'problem', /lower case of É/],
    ['another time zone', { foreignTimeZone: 'Asia/Tokyo' }, 'problem', /Asia\/Tokyo/],
    ['a table', { forbiddenTables: ['a', 'b', 'c', 'd'] }, 'problem', /write a, b, c and 1 more/],
    ['few free connections', { usedConnections: 78 }, 'warning', /78 of 97/],
    ['an old transaction', { oldestTransactionSeconds: 301 }, 'warning', /open for 301 s/],
    ['an unfinished index', { invalidIndexes: ['users_key'] }, 'problem', /users_key/],
  ])('finds %s', (_what, facts, level, text) => {
    expect(postgresqlFindings({ ...server, ...facts }, 0)).toEqual([
      expect.objectContaining({ level, text: expect.stringMatching(text) }),
    ]);
  });

  it.each([
    [5000, /5 s ahead of/],
    [-7000, /7 s behind/],
  ])('finds a clock that is off by %s ms', (offset, text) => {
    expect(postgresqlFindings(server, offset)).toEqual([
      expect.objectContaining({ level: 'problem', text: expect.stringMatching(text) }),
    ]);
  });
});

describe(migrationFindings.name, () => {
  it('names missing migrations, and those of a newer release', () => {
    expect(migrationFindings({ missing: ['2_b'], unknown: [] })).toMatchObject([
      { level: 'problem', text: 'The database lacks 2_b.' },
    ]);
    expect(migrationFindings({ missing: [], unknown: ['3_c'] })).toMatchObject([
      { level: 'warning', text: expect.stringContaining('3_c') },
    ]);
    expect(migrationFindings({ missing: [], unknown: [] })).toMatchObject([healthy]);
  });

  it('shortens a long list', () => {
    const missing = ['1_a', '2_b', '3_c', '4_d'];
    expect(migrationFindings({ missing, unknown: [] })).toMatchObject([
      { text: 'The database lacks 4 migrations, from 1_a to 4_d.' },
    ]);
  });
});

describe(lacksMigrations.name, () => {
  it('is true only for missing migrations', () => {
    expect(lacksMigrations(migrationFindings({ missing: ['2_b'], unknown: [] }))).toBe(true);
    expect(lacksMigrations(migrationFindings({ missing: [], unknown: ['3_c'] }))).toBe(false);
    expect(lacksMigrations(postgresqlFindings({ ...server, isStandby: true }, 0))).toBe(false);
  });
});

describe(redisFindings.name, () => {
  const house = { part: 'Redis', variable: 'REDIS_URL' };

  it('accepts a replica only as a node of a cluster, and names the variable', () => {
    const replica = { ...redis, role: 'slave' };
    const queues = { part: 'Queues', variable: 'QUEUE_REDIS_URL' };
    expect(redisFindings(replica, 0, { ...queues, mayBeReplica: true })).toMatchObject([healthy]);
    expect(redisFindings(replica, 0, queues)).toMatchObject([
      { part: 'Queues', advice: 'Point QUEUE_REDIS_URL to the primary.' },
    ]);
  });

  it('finds nothing wrong with a usual server', () => {
    expect(redisFindings(redis, 0, house)).toMatchObject([healthy]);
    expect(redisFindings({ ...redis, maxBytes: 0 }, 0, house)).toMatchObject([healthy]);
  });

  it.each<[string, Partial<RedisFacts>, string, RegExp]>([
    ['an old version', { version: '6.2.7' }, 'problem', /6\.2\.7/],
    ['a replica', { role: 'slave' }, 'problem', /replica/],
    ['a user', { refused: ['channels carillon:*'] }, 'problem', /not use channels carillon:/],
    ['evictions', { evictionPolicy: 'allkeys-lru' }, 'problem', /allkeys-lru/],
    ['data in memory only', { hasAppendOnlyFile: false }, 'warning', /append-only/],
    ['a failed write', { isPersisted: false }, 'problem', /last write/],
    ['a memory that is nearly full', { usedBytes: 0.9 * 2 ** 30 }, 'warning', /90 %/],
    ['a full memory', { usedBytes: 2 ** 30 }, 'problem', /100 % .*refuses writes/],
  ])('finds %s', (_what, facts, level, text) => {
    expect(redisFindings({ ...redis, ...facts }, 0, house)).toEqual([
      expect.objectContaining({ level, text: expect.stringMatching(text) }),
    ]);
  });
});

describe(credentialFindings.name, () => {
  it.each([
    [-1, 'problem'],
    [13, 'warning'],
    [15, 'ok'],
  ])('judges a certificate that expires in %s days', (days, level) => {
    const expiries = [
      { name: 'late', expiresAt: NOW + 400 * DAY_MS },
      { name: 'app', expiresAt: NOW + days * DAY_MS },
    ];
    expect(credentialFindings('Apple', expiries, NOW)).toMatchObject([
      { level, text: expect.stringContaining('certificate app') },
    ]);
  });

  it('knows that keys do not expire', () => {
    expect(credentialFindings('Apple', [], NOW)).toMatchObject([healthy]);
  });
});

describe(diskFindings.name, () => {
  it.each([
    [100, 'problem'],
    [1000, 'warning'],
    [3000, 'ok'],
  ])('judges %s MiB', (mib, level) => {
    expect(diskFindings('Uploads', mib * 2 ** 20, 256)).toMatchObject([{ level }]);
  });
});

describe(readinessFindings.name, () => {
  it('takes failing parts as problems', () => {
    const parts = { failing: { redis: 'does not answer' }, warnings: { presence: '0 of 1' } };
    expect(readinessFindings('gateway', parts)).toMatchObject([
      { part: 'gateway', level: 'problem', text: 'Not ready: redis: does not answer.' },
      { part: 'gateway', level: 'warning', text: 'presence: 0 of 1.' },
    ]);
    expect(readinessFindings('gateway', { failing: {}, warnings: {} })).toMatchObject([healthy]);
  });
});

describe(alertFindings.name, () => {
  it('takes alarms as problems, and notices as warnings', () => {
    const alert = {
      name: 'CarillonPushBehind',
      severity: 'alarm',
      platform: 'apns',
      text: 'It waits',
      advice: 'Look',
      since: null,
      until: null,
    } as const;
    expect(alertFindings([])).toMatchObject([healthy]);
    expect(alertFindings([alert, { ...alert, severity: 'notice' }])).toMatchObject([
      { level: 'problem', text: 'It waits', advice: 'Look' },
      { level: 'warning' },
    ]);
  });
});

describe(memoryFindings.name, () => {
  it('warns of a container that is too small', () => {
    expect(memoryFindings('push-worker', null)).toEqual([]);
    expect(memoryFindings('push-worker', 'The container has 190 MiB of memory')).toMatchObject([
      { part: 'push-worker', level: 'warning', text: 'The container has 190 MiB of memory.' },
    ]);
  });
});
