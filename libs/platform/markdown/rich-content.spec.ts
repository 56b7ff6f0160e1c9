import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { highlightedCode } from './code/code-highlighting.js';
import { emoji } from './emoji.plugin.js';
import type { MarkdownContext } from './environment.js';
import { formulas } from './formulas.plugin.js';
import { previews } from './previews.plugin.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
  findEmoji: (name) =>
    ({ cat: { code: '1f408' }, slight_smile: { code: '1f642' }, own: { picture: '/own.png' } })[
      name
    ],
  nameOfEmoji: (code) =>
    ({ '1f408': 'cat', '1f441-200d-1f5e8': 'eye_speech', '0023-20e3': 'hash' })[code],
  previewOf: (address) => (/^\/user_uploads\/.*\.(?:png|mp4)$/.test(address) ? address : undefined),
};

const htmlOf = (source: string, given: Partial<MarkdownContext> = {}): string =>
  renderMarkdown(source, { ...context, ...given }).html;

const emojiSpan = (code: string, name: string): string =>
  `<span aria-label="${name.replaceAll('_', ' ')}" class="emoji emoji-${code}" role="img" ` +
  `title="${name.replaceAll('_', ' ')}">:${name}:</span>`;

const CAT = emojiSpan('1f408', 'cat');
const SMILE = emojiSpan('1f642', 'slight_smile');

afterEach(() => void jest.restoreAllMocks());

describe(emoji.name, () => {
  it.each([
    ['a:cat:b:cat::cat:', `a${CAT}b${CAT}${CAT}`],
    [':dog:cat: :dog:', `:dog${CAT} :dog:`],
    ['**:cat:**', `<strong>${CAT}</strong>`],
    ['🐈x🐈', `${CAT}x${CAT}`],
    [
      '👁\u200d🗨 #\ufe0f\u20e3',
      `${emojiSpan('1f441-200d-1f5e8', 'eye_speech')} ${emojiSpan('0023-20e3', 'hash')}`,
    ],
    ['🐈\u200d🔥 🐈🏿', '🐈\u200d🔥 🐈🏿'],
    ['`:cat: 🐈`', '<code>:cat: 🐈</code>'],
    [':own:', '<img alt=":own:" class="emoji" src="/own.png" title="own">'],
    ['https://a.test/:cat:b', '<a href="https://a.test/:cat:b">https://a.test/:cat:b</a>'],
    ['12 #1 ©', '12 #1 ©'],
    [':)', ':)'],
  ])('renders %j', (source, html) => {
    expect(htmlOf(source)).toBe(`<p>${html}</p>`);
  });

  it.each([
    [':) a:) :)b (:!\n:).', `${SMILE} a:) :)b ${SMILE}!<br>\n${SMILE}.`],
    ['`:)` :cat:', `<code>:)</code> ${CAT}`],
  ])('renders the emoticons of %j where they are wanted', (source, html) => {
    expect(htmlOf(source, { hasEmoticons: true })).toBe(`<p>${html}</p>`);
  });

  it.each([
    ['\u00a9', false],
    ['\u2122', false],
    ['\u2714', false],
    ['\u2714\ufe0f', true],
    ['\u2714\ufe0e', false],
    ['\u2194 \u2764', false],
    ['\u26a1', true],
    ['#\u20e3', false],
    ['#\ufe0f\u20e3', true],
  ])('renders %j as an emoji: %s', (source, isEmoji) => {
    const html = htmlOf(source, { nameOfEmoji: () => 'named' });
    expect([html.includes('class="emoji'), html.includes(source)]).toEqual([isEmoji, !isEmoji]);
  });

  it('renders the first 500 emoji', () => {
    const html = htmlOf('🐈'.repeat(600));
    expect(html.split(CAT)).toHaveLength(501);
    expect(html).toContain('🐈'.repeat(100));
  });
});

describe(formulas.name, () => {
  it('renders a formula in a line', () => {
    const html = htmlOf('so $$x^2$$.');
    expect(html).toMatch(
      /^<p>so <span class="katex"><span class="katex-mathml"><math xmlns="[^"]+">/,
    );
    expect(html).toContain('<annotation encoding="application/x-tex">x^2</annotation>');
    expect(html).toContain('<span class="strut" style="height:0.8141em;"></span>');
  });

  it('renders a fence as a formula of its own', () => {
    expect(htmlOf('```math\n\\sqrt{x}\n```')).toMatch(
      /^<p><span class="katex-display"><span class="katex">.*<svg .*<\/svg>.*<\/span><\/p>$/s,
    );
  });

  it('renders formulas of a fence that an empty line divides', () => {
    const html = htmlOf('```math\nx\n\n\n\\y\n\nz\n```');
    expect(html.match(/katex-display/g)).toHaveLength(2);
    expect(html).toContain('<span class="tex-error">\\y</span>\n\n<span class="katex-display">');
    expect(html.match(/<p>/g)).toHaveLength(1);
  });

  it.each([
    ['a$$x$$ $$x$$b', 'a$$x$$ $$x$$b'],
    ['$$_$$ $$$ $$$$', '$$_$$ $$$ $$$$'],
    ['$$x\ny$$', '$$x<br>\ny$$'],
    ['`$$x$$`', '<code>$$x$$</code>'],
    ['$$\\x{**a**}$$', '<span class="tex-error">$$\\x{**a**}$$</span>'],
  ])('renders no formula in %j', (source, html) => {
    expect(htmlOf(source)).toBe(`<p>${html}</p>`);
  });

  it.each([
    '\\href{javascript:x}{y}',
    '\\includegraphics{https://a.test/x.png}',
    '\\htmlClass{a}{x}',
  ])('renders nothing that only trusted formulas may do: %s', (source) => {
    expect(htmlOf(`$$${source}$$`)).not.toMatch(/<(?:a|img) |class="[^"]*\ba\b/);
  });

  it.each([
    String.raw`\message{{"level":"error"}}`,
    String.raw`\errmessage{x}`,
    String.raw`\show\frac`,
    '🐈',
  ])('writes nothing of a formula to the console: %s', (source) => {
    const outputs = (['log', 'warn', 'error'] as const).map((name) =>
      jest.spyOn(console, name).mockReturnValue(),
    );
    htmlOf(`$$${source}$$`);
    expect(outputs.flatMap((output) => output.mock.calls)).toEqual([]);
  });

  it('renders the first formulas of a message, and the source of the others', () => {
    const html = htmlOf('$$x$$ '.repeat(500));
    expect(html.match(/katex-mathml/g)?.length).toBeGreaterThan(50);
    expect(html.match(/tex-error/g)?.length).toBeGreaterThan(50);
  });

  it('keeps no macro for the next formula', () => {
    expect(htmlOf('$$\\gdef\\own{1}$$ $$\\own$$')).toContain('<span class="tex-error">$$\\own$$');
  });
});

const codeOf = (source: string): string => /<code>(.*)<\/code>/s.exec(htmlOf(source))?.[1] ?? '';

const part = (className: string, text: string): string =>
  `<span class="${className}">${text}</span>`;

describe(highlightedCode.name, () => {
  it.each([
    ['js', 'JavaScript'],
    ['py', 'Python'],
    ['py2', 'Python 2.x'],
    ['.ts', 'TypeScript'],
    ['c++', 'C++'],
    ['latex', 'TeX'],
    ['html', 'HTML'],
    ['toString', 'toString'],
  ])('names the language %s', (given, name) => {
    expect(htmlOf(`\`\`\`${given}\nx\n\`\`\``)).toContain(` data-code-language="${name}">`);
  });

  it('marks the parts of code', () => {
    expect(codeOf('```js\nconst a = "x" + 1; // y\n```')).toBe(
      `${part('k', 'const')} ${part('nx', 'a')} ${part('o', '=')} ${part('s2', '"x"')} ` +
        `${part('o', '+')} ${part('mi', '1')}${part('p', ';')} ${part('c1', '// y')}\n`.replace(
          '',
          '',
        ),
    );
  });

  it('reads the program in the first line', () => {
    expect(codeOf('```\n#!/usr/bin/env python\nx\n```')).toBe(
      `${part('ch', '#!/usr/bin/env python')}\n${part('n', 'x')}\n`,
    );
  });

  it('escapes code', () => {
    expect(codeOf('```js\n<script>&\n```')).not.toContain('<script');
  });

  it('leaves long code without marks', () => {
    expect(codeOf(`\`\`\`js\n${'a '.repeat(4000)}\n\`\`\``)).not.toContain('<span');
  });
});

const picture = (address: string, title = ''): string =>
  `<div class="message_inline_image"><a href="${address}"${title}><img src="${address}"></a></div>`;

describe(previews.name, () => {
  const file = '/user_uploads/1/a.png';

  it.each([
    [`[cat](${file})`, `<p><a href="${file}">cat</a></p>\n${picture(file, ' title="cat"')}`],
    [`[](${file})`, picture(file)],
    [`- a\n- [](${file})`, `<ul>\n<li>a</li>\n<li>${picture(file)}</li>\n</ul>`],
    [`> [cat](${file})`, `<blockquote>\n<p><a href="${file}">cat</a></p>\n</blockquote>`],
    [`[cat](/user_uploads/1/a.txt)`, '<p><a href="/user_uploads/1/a.txt">cat</a></p>'],
  ])('renders %j', (source, html) => {
    expect(htmlOf(source)).toBe(html);
  });

  it('shows the pictures of a table below it', () => {
    const other = '/user_uploads/1/b.png';
    const html = htmlOf(`|a|b|\n|-|-|\n|[a](${file})|[b](${other})|\n\nend`);
    expect(html).toMatch(/<\/tr>\n<\/tbody>\n<\/table>\n/);
    expect(html.slice(html.indexOf('</table>'))).toBe(
      `</table>\n${picture(file, ' title="a"')}${picture(other, ' title="b"')}<p>end</p>`,
    );
  });

  it('shows a video', () => {
    expect(htmlOf('[](/user_uploads/1/a.mp4)')).toBe(
      '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/a.mp4">' +
        '<video preload="metadata" src="/user_uploads/1/a.mp4"></video></a></div>',
    );
  });

  it('shows each picture once, and 24 at most', () => {
    const numbers = Array.from({ length: 30 }, (_, index) => `[](/user_uploads/1/${index}.png) x`);
    const html = htmlOf([...numbers, ...numbers].join('\n'));
    expect(html.match(/<img /g)).toHaveLength(24);
  });

  it('escapes addresses and titles', () => {
    const html = htmlOf('[a"<b>](/user_uploads/1/&"<script>.png)');
    expect(html).toContain('title="a&quot;&lt;b&gt;"');
    expect(html).toContain('src="/user_uploads/1/&amp;%22%3Cscript%3E.png"');
  });
});
