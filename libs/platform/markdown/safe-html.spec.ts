import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MarkdownContext } from './environment.js';
import { renderMarkdown } from './render-markdown.js';
import { cleanHtml } from './safe-html.js';

const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li table thead tbody tr th td strong em del code pre a span div time'.split(
    ' ',
  );
const TAG = /<\/?([a-z0-9]+)((?: [a-z-]+="[^"<>]*")*)>/g;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const SAFE_HREF = /^(?:https?:|mailto:|\/(?!\/))/i;
const SAFE_ATTRIBUTES = /^(?:href|title|start|class|datetime|aria-hidden|data-[a-z-]+)$/;

const MARKS = '[ ] ( ) < > " \' & ; * _ ` ``` @** ** #** | \\ ! ~~ javascript: data: onload= /'
  .split(' ')
  .concat('\n', '\n> ', '\n- ', '    ');

/** The unsafe parts of HTML; empty for safe HTML. */
function faultsOf(html: string): string[] {
  const faults = html.replaceAll(TAG, '').includes('<') ? ['a tag of an unknown form'] : [];
  for (const [, tag = '', attributes = ''] of html.matchAll(TAG)) {
    if (!TAGS.includes(tag)) faults.push(`<${tag}>`);
    for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      if (!SAFE_ATTRIBUTES.test(name)) faults.push(`${tag} ${name}`);
      if (name === 'href' && !SAFE_HREF.test(value)) faults.push(`href ${value}`);
    }
  }
  return faults;
}

const context: MarkdownContext = {
  findUser: (name) => ({ id: 1, name, isActive: true }),
  findGroup: (name) => ({ id: 2, name, isActive: true }),
  findChannel: () => 3,
};

const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(4)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](  javascript:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A&#x61;vascript&colon;alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](\\javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](data:image/svg+xml;base64,PHN2Zz4=)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://example.com/1)',
  '[x](//evil.example)',
  '[x](/\\evil.example)',
  '[x](/&#9;/evil.example)',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x](https://a "onmouseover=alert(1)")',
  '[x](https://a "\\" onmouseover=alert(1) \\"")',
  '[x](https://a/"onmouseover="alert(1))',
  '![x](javascript:alert(1))',
  '![" onerror="alert(1)](https://a)',
  '<javascript:alert(1)>',
  '<data:text/html,x>',
  '```"onclick="alert(1)\nx\n```',
  '```js"><script>alert(1)</script>\nx\n```',
  '```spoiler <script>alert(1)</script>\n<script>\n```',
  '```quote\n<script>alert(1)</script>\n```',
  '@**<script>alert(1)</script>**',
  '@*" onclick="alert(1)*',
  '#**" onclick="alert(1)>" onclick="**',
  '<time:2026-01-05T09:00:00Z" onclick="alert(1)>',
  'https://a.example/"onmouseover="alert(1)',
  'javascript:alert(1)',
  '| a |\n|---|\n| <script>alert(1)</script> |',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '`<script>`',
  '\u0000<script>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>]]>',
];

describe('rendered Markdown', () => {
  it.each(attacks)('is safe for the source %j', (source) => {
    expect(faultsOf(renderMarkdown(source, context).html)).toEqual([]);
  });

  it('is safe for any source', () => {
    const pieces = fc.constantFrom(...attacks, ...MARKS);
    const source = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, (given) => {
        expect(faultsOf(renderMarkdown(given, context).html)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['quotes', '> '.repeat(5000)],
    ['quotes without spaces', '>'.repeat(10_000)],
    ['lists', '- '.repeat(5000)],
    ['numbered lists', '1) '.repeat(3333)],
    ['brackets', '['.repeat(10_000)],
    ['images', '!['.repeat(5000)],
    ['links', '[a]('.repeat(2500)],
    ['whole links', '[x](https://a)'.repeat(700)],
    ['stars', '*'.repeat(10_000)],
    ['opening marks', '**a '.repeat(2500)],
    ['opening and closing marks', `${'*a '.repeat(2500)}${'b* '.repeat(800)}`],
    ['mixed marks', '_a*b'.repeat(2500)],
    ['tildes', '~'.repeat(10_000)],
    ['backticks', '`'.repeat(10_000)],
    [
      'backticks of all lengths',
      Array.from({ length: 140 }, (_, index) => '`'.repeat(index)).join(' '),
    ],
    ['less-than signs', '<'.repeat(10_000)],
    ['timestamps', '<time:'.repeat(1600)],
    ['ampersands', '&'.repeat(10_000)],
    ['mentions', '@**'.repeat(3333)],
    ['long mentions', `@**${'a'.repeat(190)}`.repeat(52)],
    ['group mentions', '@*a'.repeat(3333)],
    ['channels', '#**a>'.repeat(2000)],
    ['addresses', 'https://'.repeat(1250)],
    ['email addresses', 'a.b@'.repeat(2500)],
    ['hosts', 'www.'.repeat(2500)],
    ['cells', `${'|'.repeat(2000)}\n${'|-'.repeat(2000)}|\n${'|\n'.repeat(1900)}`],
    ['spoilers', '```spoiler\n'.repeat(900)],
    [
      'fences',
      Array.from({ length: 130 }, (_, index) => `${'`'.repeat(140 - index)}quote`).join('\n'),
    ],
    ['references', '[a]: b\n'.repeat(1400)],
    ['empty lines', '\n'.repeat(10_000)],
    ['lines', 'a\n'.repeat(5000)],
    ['quotes and lists', '> a\n- '.repeat(1600)],
    ['spaces', ' '.repeat(10_000)],
  ])('takes linear time for many %s', (_name, source) => {
    const before = process.cpuUsage();
    const { html } = renderMarkdown(source, context);
    const { user, system } = process.cpuUsage(before);
    expect(faultsOf(html)).toEqual([]);
    // About ten times the usual time: only a super-linear algorithm reaches it.
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('keeps the text of a quote that is nested too deep', () => {
    const { html } = renderMarkdown(`${'> '.repeat(50)}deep\n\nafter`);
    expect(html).toContain('deep</p>');
    expect(html).toContain('<p>after</p>');
    expect(html.match(/<blockquote>/g)).toHaveLength(20);
  });

  it('keeps the text after a list that is nested too deep', () => {
    const { html } = renderMarkdown(`${'- '.repeat(50)}deep\n\nafter`);
    expect(html).toContain('deep</li>');
    expect(html).toContain('<p>after</p>');
  });
});

describe(cleanHtml.name, () => {
  it.each([
    ['<p onclick="x">a</p>', '<p>a</p>'],
    ['<script>alert(1)</script>', ''],
    ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href="//evil.example">a</a>', '<a>a</a>'],
    ['<img src="x" />a', 'a'],
    ['<span class="user-mention evil">a</span>', '<span class="user-mention">a</span>'],
    ['<p style="position:fixed">a</p>', '<p>a</p>'],
    [
      '<table><tr><td style="text-align: left;position:fixed">a</td></tr></table>',
      '<table><tr><td>a</td></tr></table>',
    ],
  ])('cleans %s', (html, clean) => {
    expect(cleanHtml(html)).toBe(clean);
  });
});
