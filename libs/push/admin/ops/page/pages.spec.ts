import { describe, expect, it } from '@jest/globals';
import { messagePage } from './pages.js';

describe(messagePage.name, () => {
  it('escapes text from the request', () => {
    const page = messagePage(`There is no GET /ops/<script>alert("1" + '2' & 3)</script>.`);
    expect(page).toContain(
      'GET /ops/&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39; &amp; 3)&lt;/script&gt;.',
    );
  });
});
