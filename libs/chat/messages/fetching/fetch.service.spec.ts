import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import type { Term } from '../narrows/term.js';
import { FetchSlots } from './fetch-slots.js';
import { FetchService } from './fetch.service.js';

type Parts = ConstructorParameters<typeof FetchService>;

/** A service whose database rejects every reading with an error of this code. */
function serviceThatFailsWith(code: string): FetchService {
  const [resolver, pages] = [
    { resolve: () => Promise.resolve({}) },
    { snapshot: () => Promise.reject(Object.assign(new Error('It failed'), { code })) },
  ] as unknown as [Parts[0], Parts[1]];
  const unused = {} as Parts[2] & Parts[3] & Parts[4];
  const slots = new FetchSlots({ poolSize: 2 });
  return new FetchService(resolver, pages, unused, unused, unused, slots);
}

describe(FetchService.name, () => {
  const hasLink: Term = { operator: 'has', content: 'link', isNegated: false };
  const inChannel: Term = { operator: 'channel', channel: 1, isNegated: false };
  const ofMessage: Term = { operator: 'with', messageId: 1, isNegated: false };
  const caller = { userId: 1, role: roles.member } as Caller;

  it('refuses a narrow that takes the database too long', async () => {
    const sut = serviceThatFailsWith('57014');
    await expect(sut.fetchAmong(caller, [hasLink], [1])).rejects.toMatchObject({
      error: { code: 'NARROW_TOO_EXPENSIVE', status: 400 },
    });
  });

  it.each<[string, Term[]]>([
    ['all messages', []],
    ['a channel', [inChannel]],
    ['the conversation of a message', [inChannel, ofMessage]],
  ])('does not ask to narrow a view of %s', async (_what, terms) => {
    const sut = serviceThatFailsWith('57014');
    await expect(sut.fetchAmong(caller, terms, [1])).rejects.toMatchObject({ code: '57014' });
  });

  it.each<[string, Term[], number, string]>([
    ['a usual page of a channel', [inChannel], 1000, 'usual'],
    ['a large page', [inChannel], 1001, 'slow'],
    ['a search', [hasLink], 1, 'slow'],
  ])('takes the slot of a slow reading where it is one: %s', async (_what, terms, size, pace) => {
    const paces: string[] = [];
    // All that is used of the slots.
    const slots = {
      run: (_userId: number, one: string) => {
        paces.push(one);
        return Promise.resolve({ isCut: false });
      },
    } as unknown as FetchSlots;
    const unused = {} as Parts[0] & Parts[1] & Parts[2] & Parts[3] & Parts[4];
    const sut = new FetchService(unused, unused, unused, unused, unused, slots);
    const page = {
      terms,
      anchor: { id: 1 },
      size: { before: size - 1, after: 1, isAnchorIncluded: true },
    };
    await sut.fetch(caller, page);
    await sut.fetchIds(caller, page);
    await sut.fetchAmong(
      caller,
      terms,
      Array.from({ length: size }, (_, index) => index),
    );
    expect(paces).toEqual([pace, pace, pace]);
  });

  it.each([
    [500_000, ['usual']],
    [2_000_000, ['usual', 'slow']],
  ])('reads a page of %d bytes as %j', async (bytes, expected) => {
    const paces: string[] = [];
    // All that is used of the parts.
    const slots = {
      run: (_userId: number, one: string, read: () => Promise<unknown>) => {
        paces.push(one);
        return read();
      },
    } as unknown as FetchSlots;
    const page = (_session: unknown, _narrow: unknown, _range: unknown, most: number) =>
      Promise.resolve({ messages: [], cut: { isBefore: bytes > most, isAfter: false } });
    const [resolver, pages, hiddenParts, composer] = [
      { resolve: () => Promise.resolve({ narrow: { searches: [] } }) },
      { snapshot: (read: (session: unknown) => unknown) => read({}), page },
      { applyToAll: () => Promise.resolve([]) },
      { renderAll: () => Promise.resolve([]) },
    ] as unknown as [Parts[0], Parts[1], Parts[2], Parts[3]];
    const sut = new FetchService(resolver, pages, hiddenParts, composer, {} as Parts[4], slots);
    const size = { before: 1, after: 0, isAnchorIncluded: true };
    await sut.fetch(caller, { terms: [inChannel], anchor: { id: 1 }, size });
    expect(paces).toEqual(expected);
  });

  it('passes other failures on', async () => {
    const sut = serviceThatFailsWith('57P01');
    await expect(sut.fetchAmong(caller, [], [1])).rejects.toMatchObject({ code: '57P01' });
  });
});
