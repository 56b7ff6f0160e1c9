import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);

const [, table = ''] =
  /\n## Redis keys and channels\n(.*?)\n## /s.exec(
    readFileSync(new URL('docs/reference.md', root), 'utf8'),
  ) ?? [];

const sources = readdirSync(new URL('libs', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
  .map((file) => readFileSync(new URL(`libs/${file}`, root), 'utf8'));

/** The matches of the group of the pattern in the sources. The patterns leave out an id at the end of a name. */
const namesIn = (pattern: RegExp): string[] =>
  sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name));

describe('the table of Redis keys and channels', () => {
  it('names every topic', () => {
    const topics = [
      ...namesIn(/name: ['`]carillon:message:([a-z-]+)(?:\$\{\w+\})?['`]/g),
      ...namesIn(/\b(?:topic|acks)\('([a-z-]+)'/g),
    ];
    expect(topics).toContain('withdrawals');
    expect(topics).toContain('device-removal-heard');
    expect(topics).toContain('notification-');
    expect(topics.filter((topic) => !table.includes(`:${topic}`))).toEqual([]);
  });

  it('names every key and channel of the events', () => {
    const names = namesIn(/['`](carillon:events:[a-z:-]+)/g);
    expect(names).toContain('carillon:events:new');
    expect(names.filter((name) => !table.includes(name))).toEqual([]);
  });
});
