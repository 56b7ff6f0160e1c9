const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** White space, which parsers skip. */
export const whiteSpace: readonly string[] = [
  [' ', '\t', '\u00a0', '\u2003', '\u200b', '\n', '\r', ' \n', '\u00a0\n', '\n\n', '\\\n'],
].flat();

/** Repeated texts; each once had a cost that grew faster than its length. */
export const repeats: readonly string[] = [
  whiteSpace,
  words('a é 😀 0 . .. a. , : - / \\ % %41 + = < > & &amp; &# " \' ( ) ((a { } {code} $$ @ #'),
  words('[ ] [[ ]( []( [a]( [a] ![ ![](a) [^ | |a ` `` * ** *a **a *a** *** _ __ _a ~~ ~~~'),
  words('@** @_** @* @**a** #** #**a> #**a>b** <time: http:// http://a.b/( mailto:a www. a@b. a@'),
  ['\ud800', '> ', '>\n', '[a]: /x\n', '|\n', '|a|b|\n|-|-|\n', 'a|\n-|\n', '~~~\n', '```\n'],
  ['```quote\n', '```spoiler\n', '- ', '- a\n', '-\n', '1. ', 'a b', '===\n', '---\n'],
  ['    a\n', '/user_uploads/1/', '[a](/user_uploads/1/a.png)', 'http://a.b/#a ', '=http://a.b'],
  words(
    ':a: :a :a:a ::) :) 🐈 🐈\u200d 🇩 #\ufe0f\u20e3 $$a$$ $$a $a \\$ $$\\a{ ~~a ~~a~~ ~a~ ***a ***a***',
  ),
  ['$$a$$ ', '$$\\frac{a}{b}$$ ', ':) ', '**a\n', '*a\n', '<time:1 May 2024> ', '<time:a> '],
  [
    '1. a\n  2. b\n',
    '* a\n- b\n',
    '  - a\n',
    '```js\na\n```\n',
    '```js\n',
    '~~~spoiler a\nb\n~~~\n',
    '>\n\n',
    '>\na\n',
    '|a|\n|:-:|\n',
    'a\n\n',
    'a.co ',
    'a.co:',
    ',a.b',
    'a_https://a.com/*',
    'a.b-.',
  ],
].flat();

/** Line prefixes: every nesting of Markdown, up to the maximum depth. */
export const nestings: readonly string[] = [
  ['', '> ', '> '.repeat(10), '> '.repeat(15), '> '.repeat(19)],
  ['- ', '- '.repeat(9), '> - '.repeat(5), '1. ', '    '],
].flat();

/** The text around a repeated text. */
export type Surrounding = readonly [before: string, after: string];

export const surroundings: readonly Surrounding[] = [
  ['', ''],
  ['x', 'x'],
  ['```\nx', 'x'],
  ['```quote\n', '\n```'],
  ['```js\n', '\n```'],
  ['```math\n', '\n```'],
  ['[a](http://b/', ')'],
  ['|a|b|\n|-|-|\n|', ''],
];

/** A text of about `length` UTF-16 units: a repeated unit with a surrounding. */
export function filled(unit: string, length: number, [before, after]: Surrounding): string {
  const room = length - before.length - after.length;
  return before + unit.repeat(Math.max(1, Math.floor(room / unit.length))) + after;
}

/** Adds a prefix to each line, and cuts the text to the same length. */
export const nested = (
  nesting: string,
  unit: string,
  length: number,
  around: Surrounding,
): string =>
  filled(unit, length - nesting.length, around)
    .split('\n')
    .map((line) => nesting + line)
    .join('\n')
    .slice(0, length);
