import { describe, expect, it } from '@jest/globals';
import { failureText } from './scheduled-messages.rules.js';

describe(failureText.name, () => {
  it('names the time and quotes the reason', () => {
    const at = new Date('2026-11-23T12:00:00Z');
    expect(failureText(at, 'Not allowed\n in channel.')).toBe(
      'Your message that was scheduled for <time:2026-11-23T12:00:00.000Z> was not sent:\n\n' +
        '> Not allowed in channel.',
    );
  });
});
