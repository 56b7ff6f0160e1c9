import { describe, expect, it } from '@jest/globals';
import type { MarkdownContext } from './environment.js';
import { plainTextOf } from './plain-text.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
  address: 'https://chat.test',
  mediaOf: (address) =>
    /^\/user_uploads\/1\/.*\.png$/.test(address)
      ? 'image'
      : address.endsWith('.mp3')
        ? 'audio'
        : undefined,
};
const htmlOf = (source: string) => renderMarkdown(source, context).html;

describe('uploaded media', () => {
  it.each([
    [
      'a ![the cat](/user_uploads/1/cat.png) b',
      '<p>a <img alt="the cat" class="inline-image" src="/user_uploads/1/cat.png"> b</p>',
    ],
    [
      '![](https://chat.test/user_uploads/1/cat.png)',
      '<p><img alt="" class="inline-image" src="/user_uploads/1/cat.png"></p>',
    ],
    [
      '![song.mp3](/user_uploads/1/song.mp3)',
      '<p><audio controls preload="metadata" src="/user_uploads/1/song.mp3" title="song.mp3"></audio></p>',
    ],
    [
      '![](/user_uploads/1/song.mp3)',
      '<p><audio controls preload="metadata" src="/user_uploads/1/song.mp3"></audio></p>',
    ],
    [
      '- ![x](/user_uploads/1/cat.png)',
      '<ul>\n<li><img alt="x" class="inline-image" src="/user_uploads/1/cat.png"></li>\n</ul>',
    ],
  ])('shows %j in the line', (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });

  it.each([
    '![cat](https://elsewhere.test/user_uploads/1/cat.png)',
    '![cat](/user_uploads/2/cat.png)',
    '![file](/user_uploads/1/file.pdf)',
  ])('keeps %j a link', (source) => {
    expect(htmlOf(source)).toMatch(/^<p><a href="[^"]*">\w+<\/a><\/p>$/);
  });

  it('keeps a picture in a link a part of the link', () => {
    expect(htmlOf('[![cat](/user_uploads/1/cat.png) here](https://a.test)')).toBe(
      '<p><a href="https://a.test">cat here</a></p>',
    );
  });

  it('escapes descriptions, and shows at most 24', () => {
    expect(htmlOf('![" onerror="x](/user_uploads/1/cat.png)')).toBe(
      '<p><img alt="&quot; onerror=&quot;x" class="inline-image" src="/user_uploads/1/cat.png"></p>',
    );
    const many = '![x](/user_uploads/1/cat.png) '.repeat(30);
    expect(htmlOf(many).match(/<img /g)).toHaveLength(24);
  });

  it('is its description in a text', () => {
    expect(plainTextOf(htmlOf('see ![the cat](/user_uploads/1/cat.png)'))).toBe('see the cat');
    expect(plainTextOf(htmlOf('hear ![a song](/user_uploads/1/song.mp3)'))).toBe('hear a song');
  });
});
