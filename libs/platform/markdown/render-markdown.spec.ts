import { describe, expect, it } from '@jest/globals';
import type { MarkdownContext } from './environment.js';
import { renderListed, renderMarkdown } from './render-markdown.js';

const htmlOf = (source: string, context?: MarkdownContext): string =>
  renderMarkdown(source, context).html;

describe(renderMarkdown.name, () => {
  it.each([
    ['', ''],
    ['plain text', '<p>plain text</p>'],
    ['two\nlines', '<p>two<br>\nlines</p>'],
    ['two\n\nparagraphs', '<p>two</p>\n<p>paragraphs</p>'],
    [
      '**bold** *slanted* ~~struck~~',
      '<p><strong>bold</strong> <em>slanted</em> <del>struck</del></p>',
    ],
    ['# Heading', '<h1>Heading</h1>'],
    ['- one\n- two', '<ul>\n<li>one</li>\n<li>two</li>\n</ul>'],
    ['3. three', '<ol start="3">\n<li>three</li>\n</ol>'],
    ['> quoted', '<blockquote>\n<p>quoted</p>\n</blockquote>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['---', '<hr>'],
    [':smile: stays', '<p>:smile: stays</p>'],
    [
      '[a]\n\n[a]: https://a.test',
      '<p>[a]</p>\n<p>[a]: <a href="https://a.test">https://a.test</a></p>',
    ],
    ['Title\n===', '<p>Title<br>\n===</p>'],
  ])('renders %j', (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });

  it.each([
    ['---', ''],
    [':--', ' style="text-align: left;"'],
    [':-:', ' style="text-align: center;"'],
    ['--:', ' style="text-align: right;"'],
  ])('renders a table with a column aligned by %s', (mark, style) => {
    expect(htmlOf(`| a | b |\n|---|${mark}|\n| 1 | 2 |`).replaceAll('\n', '')).toBe(
      `<table><thead><tr><th>a</th><th${style}>b</th></tr></thead>` +
        `<tbody><tr><td>1</td><td${style}>2</td></tr></tbody></table>`,
    );
  });

  it('renders a table of headings with an empty row, without which clients show no table', () => {
    expect(htmlOf('```quote\n|a|b|\n|-|-|\n```').replaceAll('\n', '')).toBe(
      '<blockquote><table><thead><tr><th>a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td></td><td></td></tr></tbody></table></blockquote>',
    );
  });

  it.each([
    ['<b>bold</b>', '<p>&lt;b&gt;bold&lt;/b&gt;</p>'],
    ['<div>block</div>', '<p>&lt;div&gt;block&lt;/div&gt;</p>'],
    ['fish & chips &lt;', '<p>fish &amp; chips &lt;</p>'],
  ])('shows the HTML of %j as text', (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });

  it.each([
    ['[site](https://example.com/a?b=c&d)', 'https://example.com/a?b=c&amp;d', 'site'],
    ['https://example.com', 'https://example.com', 'https://example.com'],
    ['me@example.com', 'mailto:me@example.com', 'me@example.com'],
    ['[file](/user_uploads/1/a/b.txt)', '/user_uploads/1/a/b.txt', 'file'],
    ['![cat](https://example.com/cat.png)', 'https://example.com/cat.png', 'cat'],
    ['![](/user_uploads/1/cat.png)', '/user_uploads/1/cat.png', '/user_uploads/1/cat.png'],
  ])('links %s', (source, href, text) => {
    expect(htmlOf(source)).toBe(`<p><a href="${href}">${text}</a></p>`);
  });

  it('renders no link within a link', () => {
    expect(htmlOf('[![cat](/cat.png) here](https://example.com)')).toBe(
      '<p><a href="https://example.com">cat here</a></p>',
    );
  });

  it.each(['[x](//example.com)', '[x](ftp://example.com)', '[x](here)', 'example.test'])(
    'does not link %s',
    (source) => {
      expect(htmlOf(source)).not.toContain('<a');
    },
  );

  it.each([
    ['2026-01-05T09:00:00Z', '2026-01-05T09:00:00Z'],
    ['2026-01-05T09:00:00+01:00', '2026-01-05T08:00:00Z'],
    ['2026-01-05T09:00Z', '2026-01-05T09:00:00Z'],
  ])('renders the time %s', (written, moment) => {
    expect(htmlOf(`at <time:${written}>`)).toBe(
      `<p>at <time datetime="${moment}">${written}</time></p>`,
    );
  });

  it.each(['<time:tomorrow>', '<time:2026-13-45T09:00:00Z>'])(
    'leaves the invalid time %s as plain text',
    (source) => {
      expect(htmlOf(source)).toBe(`<p>&lt;${source.slice(1, -1)}&gt;</p>`);
    },
  );
});

describe('a fence', () => {
  it.each([
    ['```\nplain < 2\n```', '', 'plain &lt; 2\n'],
    ['```unknown\nx\n```', ' data-code-language="unknown"', 'x\n'],
    ['```text\n\nx \t\n\n```', ' data-code-language="Text only"', 'x\n'],
    ['~~~~ {.text}\nx\n~~~~', ' data-code-language="Text only"', 'x\n'],
    ['```math-less\n````\n```', ' data-code-language="math-less"', '````\n'],
    ['```\nnever closed', '', 'never closed\n'],
    ['    indented', '', 'indented\n'],
    ['```"><img\nx\n```', '', 'x\n'],
  ])('shows the code in %j', (source, attribute, code) => {
    expect(htmlOf(source)).toBe(
      `<div class="codehilite"${attribute}><pre><span></span><code>${code}</code></pre></div>`,
    );
  });

  it('renders a quote', () => {
    expect(htmlOf('```quote\n**said**\n```')).toBe(
      '<blockquote>\n<p><strong>said</strong></p>\n</blockquote>',
    );
  });

  it('renders a spoiler with its title', () => {
    expect(htmlOf('```spoiler The *end*\nAll is well.\n```').replaceAll('\n', '')).toBe(
      '<div class="spoiler-block"><div class="spoiler-header"><p>The <em>end</em></p></div>' +
        '<div class="spoiler-content" aria-hidden="true"><p>All is well.</p></div></div>',
    );
  });

  it('renders a spoiler without a title', () => {
    expect(htmlOf('```spoiler\nx\n```').replaceAll('\n', '')).toBe(
      '<div class="spoiler-block"><div class="spoiler-header"></div>' +
        '<div class="spoiler-content" aria-hidden="true"><p>x</p></div></div>',
    );
  });

  it('contains fences with shorter marks', () => {
    expect(htmlOf('````quote\n```text\nx\n```\n````').replaceAll('\n', '')).toBe(
      '<blockquote><div class="codehilite" data-code-language="Text only">' +
        '<pre><span></span><code>x</code></pre></div></blockquote>',
    );
  });

  it.each(['```quote\n```text\nx\n```\nafter\n```', '~~~quote\n~~~quote\nx\n~~~\nafter\n~~~'])(
    'ends a quote after the fences in it: %j',
    (source) => {
      expect(htmlOf(source)).toMatch(/x[^]*<p>after<\/p>\n<\/blockquote>$/);
    },
  );

  it('is no fence with marks in its first line', () => {
    expect(htmlOf('~~~a ~~~')).toBe('<p>~~~a ~~~</p>');
  });

  it('shows the fence as code when it is nested too deep', () => {
    const fence = (depth: number): string => '`'.repeat(20 - depth);
    const depths = Array.from({ length: 8 }, (_, depth) => depth);
    const source = [
      ...depths.map((depth) => `${fence(depth)}quote`),
      'x',
      ...depths.toReversed().map(fence),
    ].join('\n');
    const html = htmlOf(source);
    expect(html.match(/<blockquote>/g)).toHaveLength(5);
    expect(html).toContain('data-code-language="quote"');
  });
});

describe('the limit of the HTML', () => {
  it('shows the source as plain text when it has too many nested quotes', () => {
    const source = `${'>'.repeat(19)} a\n\n`.repeat(450);
    const written = source.trim().replaceAll('>', '&gt;').replaceAll('\n', '<br>\n');
    expect(htmlOf(source)).toBe(`<p>${written}</p>`);
  });

  it('shows a table with thousands of empty cells as plain text', () => {
    const table = `${'|'.repeat(101)}\n${'|-'.repeat(100)}\n${'|\n'.repeat(200)}`;
    const html = htmlOf(`Look:\n${table}\nend`);
    expect(html).not.toContain('<td>');
    expect(html).toMatch(/<p>end<\/p>$/);
    expect(html.length).toBeLessThan(3 * table.length);
  });

  it('shows a table with thousands of narrow rows as plain text', () => {
    expect(htmlOf('a|\n-|\n'.repeat(1600))).not.toContain('<td>');
    expect(htmlOf(`|a|b|\n|-|-|\n${'x\n'.repeat(1100)}`)).not.toContain('<td>');
  });

  it('renders the rest of a list after a table that is shown as plain text', () => {
    const table = `- ${'|'.repeat(101)}\n  ${'|-'.repeat(100)}\n${'  |\n'.repeat(200)}`;
    const html = htmlOf(`${table}- end`);
    expect(html).not.toContain('<td>');
    expect(html).toMatch(/<li>end<\/li>\n<\/ul>$/);
  });

  it('renders a long list of links to topics', () => {
    const source = '#**日本>ありがとう** '.repeat(250);
    const html = htmlOf(source, {
      findUser: () => undefined,
      findGroup: () => undefined,
      findChannel: () => 7,
    });
    expect(html.match(/<a /g)).toHaveLength(250);
  });

  it('aligns the first 1000 cells', () => {
    const html = htmlOf(`|a|b|c|\n|:-:|:-:|:-:|\n${'|1|2|3|\n'.repeat(740)}`);
    expect(html.match(/<td/g)).toHaveLength(2220);
    expect(html.match(/ style="/g)).toHaveLength(1000);
  });

  it('renders a large table with content in its cells', () => {
    const table = `|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(740)}`;
    expect(htmlOf(table).match(/<td>/g)).toHaveLength(2220);
  });
});

describe(renderListed.name, () => {
  it('is the HTML of ordinary texts', () => {
    const text = 'The *plans* of https://example.com/a :tada:';
    expect(renderListed(text)).toBe(renderMarkdown(text).html);
  });

  it('is plain text where the HTML would be many times longer', () => {
    const formulas = '$$x^2$$ '.repeat(60).trim();
    expect(renderMarkdown(formulas).html.length).toBeGreaterThan(10_000);
    expect(renderListed(formulas)).toBe(`<p>${formulas}</p>`);
  });
});
