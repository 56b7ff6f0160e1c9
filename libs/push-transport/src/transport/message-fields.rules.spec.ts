import { describe, expect, it } from '@jest/globals';
import type { NotifiedMessage } from './push-content.js';
import { fitted, messageFields, titleOf } from './message-fields.rules.js';

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
  it('names the channel alone where there is no topic', () => {
    const place = { kind: 'channel', channelId: 4, channelName: 'general', topic: '' } as const;
    expect(titleOf(messageIn(place))).toBe('#general');
  });

  it('names no more people than anybody would read', () => {
    expect(titleOf(messageIn(crowd(1000)))).toHaveLength(101);
  });
});

describe(messageFields.name, () => {
  it('leaves out who takes part where they are so many that nothing else had room', () => {
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

  it('leaves alone what is just small enough', () => {
    const text = 'a'.repeat(200);
    const room = 4096 - bytesOf(padded(0)(text));
    expect(fitted(text, padded(room))).toEqual(padded(room)(text));
    expect(fitted(text, padded(room + 1)).text).toMatch(/^a{100,}…$/);
  });

  it.each(['a', 'é', '🍲', '"', '\u0001'])(
    'cuts a text of %j to what there is room for',
    (unit) => {
      const payload = fitted(unit.repeat(200), padded(3900));
      expect(bytesOf(payload)).toBeLessThanOrEqual(4096);
      expect(bytesOf(payload)).toBeGreaterThan(4096 - 7);
      expect(payload.text).toMatch(new RegExp(`^(?:${unit})+…$`, 'u'));
    },
  );
});
