import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, fitted, messageFields, removalPages, titleOf } from './message-fields.rules.js';
import type { NotifiedMessage } from './push-transport.js';

const sender = { id: 5, email: 'bob@example.org', fullName: 'Bob', avatarUrl: 'https://a.example' };

const messageIn = (place: NotifiedMessage['place']): NotifiedMessage => ({
  id: 41,
  sentAt: 1_700_000_000,
  text: 'Soup?',
  sender,
  place,
});

const crowd = (size: number): NotifiedMessage['place'] => ({
  kind: 'direct',
  people: Array.from({ length: size }, (_, index) => ({ id: 100_000 + index, fullName: 'Alice' })),
});

describe(titleOf.name, () => {
  it('names the channel and the topic', () => {
    const place = { kind: 'channel', channelId: 4, channelName: 'general', topic: 'soup' } as const;
    expect(titleOf(messageIn(place))).toBe('#general > soup');
  });

  it('limits the names of participants', () => {
    expect(titleOf(messageIn(crowd(1000)))).toHaveLength(101);
  });
});

describe(messageFields.name, () => {
  it('omits the participants if their ids are too long', () => {
    const fieldsOf = (size: number) =>
      messageFields({
        kind: 'message',
        trigger: { kind: 'direct' },
        message: messageIn(crowd(size)),
      });
    expect(fieldsOf(200)).toHaveProperty('pm_users');
    expect(fieldsOf(1000)).not.toHaveProperty('pm_users');
  });
});

describe(fitted.name, () => {
  const padded = (padding: number) => (text: string) => ({ padding: 'x'.repeat(padding), text });
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

  it('keeps a text that just fits', () => {
    const text = 'a'.repeat(200);
    const room = 4096 - bytesOf(padded(0)(text));
    expect(fitted(text, padded(room))).toEqual(padded(room)(text));
    expect(fitted(text, padded(room + 1)).text).toMatch(/^a{100,}…$/);
  });

  it.each(['a', 'é', '🍲', '"', '\u0001'])('cuts a text of %j to the limit', (unit) => {
    const payload = fitted(unit.repeat(200), padded(3900));
    expect(bytesOf(payload)).toBeLessThanOrEqual(4096);
    expect(bytesOf(payload)).toBeGreaterThan(4096 - 7);
    expect(payload.text).toMatch(new RegExp(`^(?:${unit})+…$`, 'u'));
  });
});

describe(cutText.name, () => {
  it('keeps 200 characters, and cuts longer texts', () => {
    expect(cutText('x'.repeat(200))).toBe('x'.repeat(200));
    expect(cutText('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });

  it('counts an emoji once and never splits one', () => {
    expect(cutText('🍲'.repeat(200))).toBe('🍲'.repeat(200));
    expect(cutText(`x${'🍲'.repeat(200)}`)).toBe(`x${'🍲'.repeat(199)}…`);
  });

  it('keeps the beginning of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(40), (text, limit) => {
        const characters = [...text];
        const expected =
          characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`;
        expect(cutText(text, limit)).toBe(expected);
      }),
    );
  });
});

describe(removalPages.name, () => {
  it.each([
    [0, 1, 0],
    [1, 1, 1],
    [200, 1, 1],
    [201, 1, 2],
    [230, 1, 2],
    [10_000, 1, 50],
    // Large ids need more space.
    [200, 1e9, 2],
    [200, 2 ** 53 - 1000, 2],
  ])('names every message once: %i from %i in %i pages', (count, first, expected) => {
    const ids = Array.from({ length: count }, (_, index) => first + index);
    const pages = removalPages(ids.toReversed());
    expect(pages).toHaveLength(expected);
    expect(pages.flat()).toEqual(ids);
    expect(Math.max(0, ...pages.map(({ length }) => length))).toBeLessThanOrEqual(200);
  });
});
