import { describe, expect, it } from '@jest/globals';
import { escapedHtml } from './escaped-html.rules.js';

describe(escapedHtml.name, () => {
  it('escapes all characters of markup', () => {
    expect(escapedHtml(`<a b="c" d='e'>&`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
  });
});
