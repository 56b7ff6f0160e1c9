import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RE2JS } from 're2js';
import { LinkifierLookup } from './linkifier-lookup.js';
import type { LinkifierRepository } from './linkifier.repository.js';
import { MAX_WORK } from './linkifier.rules.js';

const linkifiers = Array.from({ length: 200 }, (_, number) => ({
  pattern: `#${number}-(?P<id>[0-9]+)`,
  urlTemplate: `https://issues.test/${number}/{id}`,
}));

async function linksInOfRequest(): Promise<(text: string) => readonly object[]> {
  const repository = {
    forward: () => Promise.resolve(linkifiers),
  } as unknown as LinkifierRepository;
  const { linksIn } = await new LinkifierLookup(repository).of(1);
  if (linksIn === undefined) throw new Error('There are no linkifiers.');
  return linksIn;
}

/** Adds the instructions times the characters of all searches. */
function watchWork(): { readonly done: number } {
  const work = { done: 0 };
  const matcher = RE2JS.prototype.matcher;
  jest.spyOn(RE2JS.prototype, 'matcher').mockImplementation(function (this: RE2JS, text) {
    work.done += this.programSize() * String(text).length;
    return matcher.call(this, text);
  });
  return work;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe(LinkifierLookup.name, () => {
  it('limits the work for all texts of a request together', async () => {
    const linksIn = await linksInOfRequest();
    const work = watchWork();
    expect(linksIn('#7-1')).toHaveLength(1);
    for (let number = 0; number < 2000; number += 1) linksIn(`${number} ${'b'.repeat(50)}`);
    expect(work.done).toBeGreaterThan(MAX_WORK / 2);
    expect(work.done).toBeLessThanOrEqual(MAX_WORK);
    // The next request has its own.
    expect((await linksInOfRequest())('#7-2')).toHaveLength(1);
  });

  it('lets other work run while it compiles many linkifiers', async () => {
    const branches = Array.from({ length: 12 }, (_, index) => `[a-z]{1,${10 + index}}`).join('|');
    const large = Array.from({ length: 100 }, (_, number) => {
      return { pattern: `${number}(?P<id>${branches})`, urlTemplate: 'https://issues.test/{id}' };
    });
    const repository = { forward: () => Promise.resolve(large) } as unknown as LinkifierRepository;
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const startedAt = process.cpuUsage();
    await new LinkifierLookup(repository).of(1);
    clearImmediate(next);
    const cpuMs = process.cpuUsage(startedAt).user / 1000;
    // Slices of ten milliseconds, on a machine of any speed.
    expect(turns).toBeGreaterThan(Math.floor(cpuMs / 50));
  });

  it('searches equal topics once', async () => {
    const linksIn = await linksInOfRequest();
    const first = linksIn('about #7-1');
    const work = watchWork();
    for (let count = 0; count < 5000; count += 1) expect(linksIn('about #7-1')).toBe(first);
    expect(work.done).toBe(0);
  });
});
