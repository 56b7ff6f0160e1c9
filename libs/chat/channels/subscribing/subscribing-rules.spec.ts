import { describe, expect, it } from '@jest/globals';
import { visibilityChange } from '../changing/visibility-change.rules.js';
import { updatesOf } from '../changing/channel-update.rules.js';
import { isColor, normalColor, defaultColor } from './channel-color.rules.js';
import { checkedChannelName, oneLine } from './channel-name.rules.js';
import { combined, MAX_COMBINED } from './combined.rules.js';
import { departuresOf } from './leaving-together.rules.js';

describe('The colour of a channel', () => {
  it.each([
    ['#ABC', '#aabbcc'],
    ['#C0FFEE', '#c0ffee'],
  ])('%s is stored as %s', (given, stored) => {
    expect(isColor(given)).toBe(true);
    expect(normalColor(given)).toBe(stored);
  });

  it.each(['', 'abc', '#ab', '#abcd', '#abcdeg', '#abcdef0', ' #abc'])('refuses %s', (given) => {
    expect(isColor(given)).toBe(false);
  });

  it('is a valid one for each channel', () => {
    for (const id of [1, 24, 25, 2 ** 31 - 1]) expect(defaultColor(id)).toMatch(/^#[0-9a-f]{6}$/);
  });
});

describe('The name of a channel', () => {
  it('has no surrounding white space and any 60 characters', () => {
    expect(checkedChannelName(` ${'🎉'.repeat(60)} `)).toBe('🎉'.repeat(60));
    expect(() => checkedChannelName('🎉'.repeat(61))).toThrow('Channel name too long');
  });

  it.each([
    ['a\u0000b', 2],
    ['\u{10FFFF}', 1],
    ['ab\uD800', 3],
  ])('%j is refused', (given, position) => {
    expect(() => checkedChannelName(given)).toThrow(`at position ${position}.`);
  });
});

describe('The description of a channel', () => {
  it('is one line', () => {
    expect(oneLine(' one \r\n\n two ')).toBe('one two');
  });
});

describe(combined.name, () => {
  const event = (ids: number[], userIds: number[], op = 'add') => ({
    realmId: 1,
    type: 'subscription',
    body: { op, stream_ids: ids },
    audience: { userIds },
  });

  it('joins the lists of events with the same audience, and leaves out events for nobody', async () => {
    const events = [event([1], [5]), event([2], [6]), event([3], [5]), event([4], [])];
    expect(await combined([...events, event([5], [5], 'remove')], 'stream_ids')).toEqual([
      event([1, 3], [5]),
      event([2], [6]),
      event([5], [5], 'remove'),
    ]);
    expect(events[0]).toEqual(event([1], [5]));
  });

  it('bounds the size of an event, so that no client gets megabytes at once', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index);
    const events = Array.from({ length: 10 }, () => event(ids, [5]));
    const found = (await combined(events, 'stream_ids')).map(
      ({ body }) => body as { stream_ids: number[] },
    );
    expect(found.flatMap(({ stream_ids }) => stream_ids)).toEqual(
      events.flatMap(({ body }) => body.stream_ids),
    );
    for (const body of found)
      expect(JSON.stringify(body.stream_ids).length).toBeLessThan(MAX_COMBINED);
  });
});

describe(departuresOf.name, () => {
  it.each([0, 1, 2, 3, 7, 100])('informs each of %d accounts once of each other', (count) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const notices = departuresOf(ids).flatMap(({ leftIds, toIds }) =>
      toIds.flatMap((to) => leftIds.map((left) => `${left} to ${to}`)),
    );
    const expected = ids.flatMap((to) =>
      ids.filter((left) => left !== to).map((left) => `${left} to ${to}`),
    );
    expect(notices.toSorted()).toEqual(expected.toSorted());
  });
});

describe(visibilityChange.name, () => {
  const audience = (everyone: 'members' | null, holderIds: number[], subscriberIds: number[]) => ({
    channelId: 1,
    isArchived: false,
    everyone,
    holderIds,
    subscriberIds,
  });
  const none = { userIds: [] };

  it('finds those who gain and lose a private channel', () => {
    expect(visibilityChange(audience(null, [1, 2], [3]), audience(null, [2, 4], [3]), [])).toEqual({
      gaining: { userIds: [4] },
      staying: { userIds: [2, 3] },
      losing: { userIds: [1] },
    });
  });

  it('finds the members who gain or lose a channel', () => {
    const open = audience('members', [], [9]);
    const closed = audience(null, [1], [3, 9]);
    expect(visibilityChange(open, closed, [])).toEqual({
      gaining: none,
      staying: { userIds: [1, 3, 9] },
      losing: { everyone: 'members', exceptIds: [1, 3, 9] },
    });
    expect(visibilityChange(closed, open, [])).toEqual({
      gaining: { everyone: 'members', exceptIds: [1, 3, 9] },
      staying: { userIds: [1, 3, 9] },
      losing: none,
    });
    expect(visibilityChange(open, open, [])).toEqual({
      gaining: none,
      staying: { everyone: 'members', userIds: [9] },
      losing: none,
    });
  });
});

describe(updatesOf.name, () => {
  const before = { stream_id: 1, name: 'old', invite_only: false, description: '', folder_id: 1 };

  it('returns the name last, and ignores properties that follow from other events', () => {
    const after = { ...before, name: 'new', folder_id: null, subscriber_count: 5 };
    expect(updatesOf(before, after)).toEqual([
      { op: 'update', stream_id: 1, name: 'old', property: 'folder_id', value: null },
      { op: 'update', stream_id: 1, name: 'old', property: 'name', value: 'new' },
    ]);
  });
});
