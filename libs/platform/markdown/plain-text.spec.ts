import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MarkdownContext } from './environment.js';
import { plainTextOf } from './plain-text.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: (name, id) => ({ id: id ?? 5, name, isActive: true }),
  findGroup: (name) => ({ id: 2, name, isActive: true }),
  findChannel: () => 3,
};

const textOf = (markdown: string): string => plainTextOf(renderMarkdown(markdown, context).html);

const quote = (text: string): string => `\`\`\`quote\n${text}\n\`\`\``;

describe(plainTextOf.name, () => {
  it.each([
    ['Soup at **noon**, *or* ~~one~~ `two`?', 'Soup at noon, or one two?'],
    ['one\n\ntwo\nthree', 'one\ntwo\nthree'],
    ['1 < 2 && "yes" &lt;b&gt;', '1 < 2 && "yes" <b>'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['@**Bob Fischer|6** in #**general>lunch**', '@Bob Fischer in #general > lunch'],
    ['[the menu](https://example.test) 🍲', 'the menu 🍲'],
    ['# Plan\n- soup\n- bread', 'Plan\n• soup\n• bread'],
    ['3. soup\n4. bread', '3. soup\n4. bread'],
    ['1. soup\n\n1. bread\n\n   of rye', '1. soup\n2. bread\nof rye'],
    ['- soup\n\n- bread', '• soup\n• bread'],
    [
      '- soup\n  1. hot\n     - red\n  2. cold\n- bread',
      '• soup\n  1. hot\n    • red\n  2. cold\n• bread',
    ],
    ['- - soup\n-\n- > bread', '•\n  • soup\n•\n•\n> bread'],
    ['```js\nif (a) {\n  b();\n}\n```', 'if (a) {\n  b();\n}'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b\n1 2'],
    ['', ''],
  ])('converts %j to %j', (markdown, expected) => {
    expect(textOf(markdown)).toBe(expected);
  });

  it('shows only the header of a spoiler', () => {
    expect(textOf('```spoiler The **end**\nEverybody lives.\n```')).toBe('The end (…)');
    expect(textOf('```spoiler\nEverybody lives.\n```')).toBe('(…)');
  });

  it('omits quotes within other text', () => {
    expect(textOf(`${quote('Soup?')}\n\nYes!`)).toBe('[…]\nYes!');
    expect(textOf(`Look:\n\n> one\n\nand\n\n> two\n\nwell`)).toBe('Look:\n[…]\nand\n[…]\nwell');
  });

  it('omits the attribution of a quote with the quote', () => {
    const said = '@_**Bob Fischer|6** [said](https://example.test/#narrow/near/7):';
    expect(textOf(`${said}\n${quote('Soup?')}\n\nYes!`)).toBe('[…]\nYes!');
    expect(textOf(`${said}\n\nYes!`)).toBe('Bob Fischer said:\nYes!');
  });

  it('keeps a quote that is the whole message', () => {
    expect(textOf(quote('Soup?\nBread?'))).toBe('> Soup?\n> Bread?');
    const said = '@_**Bob Fischer|6** [said](https://example.test/#narrow/near/7):';
    expect(textOf(`${said}\n${quote('Soup?')}`)).toBe('Bob Fischer said:\n> Soup?');
  });

  it('shows emoji, the names of custom ones and formulas as they were written', () => {
    const emoji = (code: string) => `<span class="emoji emoji-${code}">:family:</span>`;
    expect(plainTextOf(`<p>Hi ${emoji('1f468-200d-1f466')}!</p>`)).toBe('Hi 👨\u200d👦!');
    expect(plainTextOf(`<p>Hi ${emoji('fffffff')}!</p>`)).toBe('Hi :family:!');
    expect(textOf('So $$x^2 < 4$$.')).toBe('So $$x^2 < 4$$.');
    expect(plainTextOf('<p>Hi <img class="emoji" alt=":wave:" src="x"></p>')).toBe('Hi :wave:');
    const formula =
      '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>' +
      '<annotation encoding="application/x-tex">x^2 &lt; 4</annotation></semantics></math></span>' +
      '<span class="katex-html">x2</span></span>';
    expect(plainTextOf(`<p>So ${formula}.</p>`)).toBe('So $$x^2 < 4$$.');
  });

  it('returns the beginning when a limit is set', () => {
    const text = plainTextOf(renderMarkdown('soup\n\n'.repeat(1000)).html, 20);
    expect(text).toBe('soup\nsoup\nsoup\nsoup');
  });

  it.each(['ol', 'ul'])('writes no further items of a list behind the limit: %s', (tag) => {
    const items = '<li>soup</li>'.repeat(1000);
    expect(plainTextOf(`<${tag}>${items}</${tag}>`, 20).length).toBeLessThan(40);
  });

  it('omits a quote also when the other text follows far behind the limit', () => {
    const text = plainTextOf(renderMarkdown(`${'> soup\n'.repeat(1000)}\nYes!`).html, 20);
    expect(text).toBe('[…]\nYes!');
  });

  it('stops reading after 250,000 characters of HTML', () => {
    const text = plainTextOf('<p>soup</p>'.repeat(100_000));
    expect(text.length).toBeLessThan(250_000);
    expect(text).toMatch(/^soup\nsoup\n/);
  });

  it('returns no empty lines and no trailing white space', () => {
    const marks = '> - ` ``` ~~ ** _ # 1. | < & \\ [a](b) spoiler quote x'.split(' ');
    const source = fc.array(fc.constantFrom(...marks, ' ', '\n', '\n\n'), { maxLength: 40 });
    fc.assert(
      fc.property(source, (parts) => {
        const text = textOf(parts.join(''));
        expect(text).toBe(text.trimEnd());
        expect(text).not.toMatch(/(?:^|\n)\s*\n/);
      }),
    );
  });
});
