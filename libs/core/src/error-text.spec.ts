import { describe, expect, it } from '@jest/globals';
import { errorText } from './error-text.js';

describe(errorText.name, () => {
  it('is the message of an error, and the text of anything else', () => {
    expect(errorText(new Error('broken'))).toBe('broken');
    expect(errorText('broken')).toBe('broken');
    expect(errorText(undefined)).toBe('undefined');
  });

  it('is the messages of all tries where there was more than one', () => {
    const tries = [
      new Error('connect ECONNREFUSED ::1:1'),
      new Error('connect ECONNREFUSED 127.0.0.1:1'),
    ];
    expect(errorText(new AggregateError(tries))).toBe(
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    );
  });
});
