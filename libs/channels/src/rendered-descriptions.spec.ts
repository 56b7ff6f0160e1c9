import { describe, expect, it } from '@jest/globals';
import { RenderedDescriptions } from './rendered-descriptions.js';

describe(RenderedDescriptions.name, () => {
  it.each([
    ['What **all** read', '<p>What <strong>all</strong> read</p>'],
    ['', ''],
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ])('renders "%s", again too', (source, html) => {
    const sut = new RenderedDescriptions();
    expect(sut.htmlOf(source)).toBe(html);
    expect(sut.htmlOf(source)).toBe(html);
  });
});
