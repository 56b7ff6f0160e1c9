import { describe, expect, it } from '@jest/globals';
import { blocks } from './blocks.plugin.js';
import { inlineSyntax } from './inline-syntax.plugin.js';
import { links } from './links.plugin.js';
import { renderMarkdown } from './render-markdown.js';
import { tables } from './tables.plugin.js';
import { timestamps } from './timestamps.plugin.js';

const htmlOf = (source: string): string => renderMarkdown(source).html;

/** The HTML without the paragraph around it. */
const lineOf = (source: string): string => htmlOf(source).replace(/^<p>(.*)<\/p>$/s, '$1');

describe(blocks.name, () => {
  it.each([
    ['1. a\n  2. b\n    3. c\n  3. d\n2. e', '(a(b(c)d)e)'],
    ['* a\n  * b\n  * c\n* d', '(a(bc)d)'],
    ['* a\n- b\n+ c', '(abc)'],
    ['1. a\n  * b\n1. c', '(a(b)c)'],
    ['x\n1. a\n  7. b', 'x(a(b))'],
    ['- a\n\n  b\n\nx\n  - c', '(ab)x(c)'],
    ['- a\n    - b\n        - c', '(a(b(c)))'],
    ['x\n  1. a', 'x(a)'],
    ['- a\n    - b\n    - c\n    - d', '(a(bcd))'],
    ['1. a\n    1. b\n    1. c\n2. d', '(a(bc)d)'],
    ['- a\n    - b\n      - c\n      - d\n    - e', '(a(b(cd)e))'],
    ['- a\n    - b\n  - c', '(a(bc))'],
    ['1) a\n2) b', '1)a2)b'],
    ['- a\n\n1) b', '(a)1)b'],
  ])('nests the lists of %j', (source, nesting) => {
    const html = htmlOf(source)
      .replaceAll(/<[ou]l[^>]*>/g, '(')
      .replaceAll(/<\/[ou]l>/g, ')');
    expect(html.replaceAll(/<[^>]*>|\s/g, '')).toBe(nesting);
  });

  it('renders no line break between the text of an item and its list', () => {
    expect(htmlOf('1. a\n  5. b')).toBe(
      '<ol>\n<li>a<ol start="5">\n<li>b</li>\n</ol>\n</li>\n</ol>',
    );
  });

  it.each([
    ['>', '<p>&gt;</p>'],
    ['>>', '<blockquote>\n<p>&gt;</p>\n</blockquote>'],
    ['>\n>\n', '<p>&gt;<br>\n&gt;</p>'],
    ['a\n>\n >\nb\nc', '<p>a</p>\n<blockquote>\n<p>b<br>\nc</p>\n</blockquote>'],
    ['>\n> a\n\nb', '<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>'],
    ['>\na\n# b', '<blockquote>\n<p>a</p>\n</blockquote>\n<h1>b</h1>'],
    [
      '- >\n  a\n- b',
      '<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n<li>b</li>\n</ul>',
    ],
    ['> a\nb', '<blockquote>\n<p>a<br>\nb</p>\n</blockquote>'],
    ['a  ', '<p>a  </p>'],
    ['a  \n  b', '<p>a  <br>\n  b</p>'],
  ])('renders %j', (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });
});

describe(inlineSyntax.name, () => {
  it.each([
    ['_a_ __b__ a_b*c*', '_a_ __b__ a_b<em>c</em>'],
    ['***a***', '<strong><em>a</em></strong>'],
    ['*a **b***', '<em>a <strong>b</strong></em>'],
    ['**a\nb**', '**a<br>\nb**'],
    ['**a**\n**b**', '<strong>a</strong><br>\n<strong>b</strong>'],
    ['[**a\nb**](/c) **d**', '<a href="/c">**a<br>\nb**</a> <strong>d</strong>'],
    ['~~ a ~~ ~~*b*~~', '<del> a </del> <del><em>b</em></del>'],
    ['~~a~b~~ ~~~c~~~ ~~', '~~a~b~~ ~~~c~~~ ~~'],
    ['` a ` ``b ` c``', '<code> a </code> <code>b ` c</code>'],
    [String.raw`\\server\share \d+\.\d+`, String.raw`\\server\share \d+\.\d+`],
    [String.raw`\*a\* \`b\``, String.raw`\<em>a\</em> \<code>b\</code>`],
    ['a\\\nb', 'a\\<br>\nb'],
  ])('renders %j', (source, html) => {
    expect(lineOf(source)).toBe(html);
  });
});

describe(tables.name, () => {
  it.each([
    ['`a|b`', '<td><code>a|b</code></td>\n<td>c</td>'],
    ['``a|`|b`` `|`', '<td><code>a|`|b</code> <code>|</code></td>\n<td>c</td>'],
    ['`a', '<td>`a</td>\n<td>c</td>'],
    [String.raw`a\|b`, '<td>a|b</td>\n<td>c</td>'],
  ])('keeps the bars of code in the cell %j', (cell, html) => {
    const rows = (of: string): string => `| x | y |\n|---|---|\n| ${of} | c |`;
    expect(htmlOf(rows(cell))).toContain(`<tr>\n${html}\n</tr>`);
    expect(htmlOf(`> ${rows(cell).replaceAll('\n', '\n> ')}`)).toContain(`<tr>\n${html}\n</tr>`);
  });
});

describe(links.name, () => {
  const context = {
    findUser: () => undefined,
    findGroup: () => undefined,
    findChannel: () => undefined,
    address: 'https://chat.test',
  };

  it.each([
    ['[](https://a.test)', 'https://a.test', 'https://a.test'],
    ['[ ](https://a.test)', 'https://a.test', 'https://a.test'],
    ['[call](tel:+12)', 'tel:+12', 'call'],
    ['[x](https://chat.test/#narrow/near/1)', '#narrow/near/1', 'x'],
    ['[#a&#42;b](#narrow/channel/1-a.2Ab)', '#narrow/channel/1-a.2Ab', '#a*b'],
    ['[x](https://chat.test/user_uploads/1/a)', '/user_uploads/1/a', 'x'],
    ['[x](https://chat.test/https://a.test)', 'https://chat.test/https://a.test', 'x'],
    ['[x](https://chat.test.evil/#narrow)', 'https://chat.test.evil/#narrow', 'x'],
  ])('links %s', (source, href, text) => {
    expect(renderMarkdown(source, context).html).toBe(`<p><a href="${href}">${text}</a></p>`);
  });

  it.each(['src=http://a.test', '"http://a.test"<b>', 'xhttp://a.test'])(
    'links no part of a word: %s',
    (source) => {
      expect(htmlOf(source)).not.toContain('<a');
    },
  );

  it.each([
    ['example.com', 'http://example.com'],
    ['"www.example.co.uk/a?b#c"', 'http://www.example.co.uk/a?b#c'],
    ['(blog.example.dev)!', 'http://blog.example.dev'],
    ['example.com/a%20b', 'http://example.com/a%20b'],
    ['http://readme.md', 'http://readme.md'],
  ])('links the address in %s as it is written', (source, address) => {
    const written = source.includes('//') ? address : address.replace('http://', '');
    expect(htmlOf(source)).toContain(`<a href="${address}">${written}</a>`);
  });

  it.each(['readme.md', 'views.py: it', 'love...it', 'a.run()', 'a@b.c/d', 'x_example.com/é@'])(
    'links no part of %s',
    (source) => {
      expect(htmlOf(source)).not.toContain('<a');
    },
  );

  it('links email addresses with the top domains of file names', () => {
    expect(htmlOf('a@b.md')).toBe('<p><a href="mailto:a@b.md">a@b.md</a></p>');
  });

  it.each([
    ['http://a.test/b: c', '<a href="http://a.test/b">http://a.test/b</a>: c'],
    ['http://a.test/b:', '<a href="http://a.test/b">http://a.test/b</a>:'],
    ['http://a.test/b:<c>', 'http://a.test/b:&lt;c&gt;'],
    ['[a:](http://a.test/b:)', '<a href="http://a.test/b:">a:</a>'],
  ])('leaves the colon behind an address out of the link: %s', (source, html) => {
    expect(lineOf(source)).toBe(html);
  });

  it.each(['(http://a.test)', 'http://a.test.', '"http://a.test"', '**http://a.test**'])(
    'links an address between marks: %s',
    (source) => {
      expect(htmlOf(source)).toContain('<a href="http://a.test">http://a.test</a>');
    },
  );
});

describe(`${links.name} beside letters and marks`, () => {
  it.each([
    ['ここhttps://a.test/bを', 'ここ<a href="https://a.test/b%E3%82%92">https://a.test/bを</a>'],
    ['（https://a.test/b）。', '（<a href="https://a.test/b">https://a.test/b</a>）。'],
    ['вотhttp://a.test!', 'вот<a href="http://a.test">http://a.test</a>!'],
    ['“a.com”…', '“<a href="http://a.com">a.com</a>”…'],
    ['<https://a.test>', '&lt;<a href="https://a.test">https://a.test</a>&gt;'],
    ['<me@a.com>', '&lt;<a href="mailto:me@a.com">me@a.com</a>&gt;'],
    ['https://git@a.test/b', '<a href="https://git@a.test/b">https://git@a.test/b</a>'],
  ])('links the address in %s', (source, html) => {
    expect(lineOf(source)).toBe(html);
  });
});

describe(timestamps.name, () => {
  it('shows a time that cannot be read as it was written', () => {
    expect(lineOf('<time:**soon**> *now*')).toBe('&lt;time:**soon**&gt; <em>now</em>');
  });
});
