import { describe, expect, it } from '@jest/globals';
import { isProviderTokenExpired, tokenInUseAfter } from './provider-token.rules.js';

const now = new Date(1_700_000_000_000);
const minutesAgo = (minutes: number) => now.getTime() - minutes * 60_000;

describe(isProviderTokenExpired.name, () => {
  it('grants an hour', () => {
    expect(isProviderTokenExpired(minutesAgo(60) / 1000, now)).toBe(false);
    expect(isProviderTokenExpired(minutesAgo(60) / 1000 - 1, now)).toBe(true);
  });
});

describe(tokenInUseAfter.name, () => {
  it('works with the first token', () => {
    expect(tokenInUseAfter(undefined, 'a', now)).toEqual({ token: 'a', sinceMs: now.getTime() });
  });

  it('counts the time from the change, not from the last use', () => {
    const current = { token: 'a', sinceMs: minutesAgo(50) };
    expect(tokenInUseAfter(current, 'a', now)).toBe(current);
  });

  it('takes another token after 20 minutes, not before', () => {
    expect(tokenInUseAfter({ token: 'a', sinceMs: minutesAgo(20) }, 'b', now)).toEqual({
      token: 'b',
      sinceMs: now.getTime(),
    });
    expect(tokenInUseAfter({ token: 'a', sinceMs: minutesAgo(19.9) }, 'b', now)).toBe(
      'too-many-updates',
    );
  });
});
