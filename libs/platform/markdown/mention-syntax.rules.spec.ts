import { describe, expect, it } from '@jest/globals';
import { mentionedNames } from './mention-syntax.rules.js';

describe(mentionedNames.name, () => {
  it('returns each mentioned name once', () => {
    const source =
      '@**Ada** and @_**Ada** and @**Ada|12** of @*on call* and @_*on call*: ' +
      'see #**ideas**, #**ideas>a topic**, #**plans>x**, #**plans>y@7**';
    expect(mentionedNames(source)).toEqual({
      users: [
        { fullName: 'Ada', id: undefined },
        { fullName: 'Ada', id: 12 },
      ],
      groups: ['on call'],
      channels: ['ideas', 'plans'],
      topics: [
        { channel: 'ideas', topic: 'a topic' },
        { channel: 'plans', topic: 'x' },
      ],
    });
  });

  it('takes only a number behind the last bar for an id', () => {
    expect(mentionedNames('@**a|b** @_**a|b|12** @**12|34 x** @**Ada||5** @_**|7**').users).toEqual(
      [
        { fullName: 'a|b', id: undefined },
        { fullName: 'a|b', id: 12 },
        { fullName: '12|34 x', id: undefined },
        { fullName: 'Ada|', id: 5 },
        { fullName: '', id: 7 },
      ],
    );
  });

  it.each(['', 'me@example.com', 'a@**b**', '@**b', '#channel', '#**a\nb**', '@'.repeat(1000)])(
    'finds nothing in %j',
    (source) => {
      expect(mentionedNames(source)).toEqual({ users: [], groups: [], channels: [], topics: [] });
    },
  );
});
