import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MarkdownContext } from './markdown-context.js';
import { plainTextOf } from './plain-text.js';
import { renderMarkdown } from './render-markdown.js';

const context: MarkdownContext = {
  findUser: (_, id) => id ?? 5,
  findGroup: () => 2,
  findChannel: () => 3,
};

const textOf = (markdown: string): string => plainTextOf(renderMarkdown(markdown, context));

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
    ['```js\nif (a) {\n  b();\n}\n```', 'if (a) {\n  b();\n}'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b\n1 2'],
    ['', ''],
  ])('tells %j as %j', (markdown, expected) => {
    expect(textOf(markdown)).toBe(expected);
  });

  it('tells of a spoiler only its header', () => {
    expect(textOf('```spoiler The **end**\nEverybody lives.\n```')).toBe('The end (…)');
    expect(textOf('```spoiler\nEverybody lives.\n```')).toBe('(…)');
  });

  it('leaves quotes out of other text', () => {
    expect(textOf(`${quote('Soup?')}\n\nYes!`)).toBe('[…]\nYes!');
    expect(textOf(`Look:\n\n> one\n\nand\n\n> two\n\nwell`)).toBe('Look:\n[…]\nand\n[…]\nwell');
  });

  it('leaves out with a quote the line that tells whose it is', () => {
    const said = '@_**Bob Fischer|6** [said](https://example.test/#narrow/near/7):';
    expect(textOf(`${said}\n${quote('Soup?')}\n\nYes!`)).toBe('[…]\nYes!');
    expect(textOf(`${said}\n\nYes!`)).toBe('Bob Fischer said:\nYes!');
  });

  it('tells a quote that is all there is', () => {
    expect(textOf(quote('Soup?\nBread?'))).toBe('> Soup?\n> Bread?');
    const said = '@_**Bob Fischer|6** [said](https://example.test/#narrow/near/7):';
    expect(textOf(`${said}\n${quote('Soup?')}`)).toBe('Bob Fischer said:\n> Soup?');
  });

  it('tells an emoji by its name and a formula by its source', () => {
    expect(plainTextOf('<p>Hi <img class="emoji" alt=":wave:" src="x"></p>')).toBe('Hi :wave:');
    const formula =
      '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>' +
      '<annotation encoding="application/x-tex">x^2 &lt; 4</annotation></semantics></math></span>' +
      '<span class="katex-html">x2</span></span>';
    expect(plainTextOf(`<p>So ${formula}.</p>`)).toBe('So x^2 < 4.');
  });

  it('gives the beginning where a limit is set', () => {
    const text = plainTextOf(renderMarkdown('soup\n\n'.repeat(1000)), 20);
    expect(text).toBe('soup\nsoup\nsoup\nsoup');
  });

  it('knows that a quote is not all there is, however far behind it the other text is', () => {
    const text = plainTextOf(renderMarkdown(`${'> soup\n'.repeat(1000)}\nYes!`), 20);
    expect(text).toBe('[…]\nYes!');
  });

  it('reads no more HTML than a message can be', () => {
    const text = plainTextOf('<p>soup</p>'.repeat(100_000));
    expect(text.length).toBeLessThan(250_000);
    expect(text).toMatch(/^soup\nsoup\n/);
  });

  it('gives no empty lines and no white space around, but for the indentation of code', () => {
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
