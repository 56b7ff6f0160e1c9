import type { Env } from 'markdown-it';
import { mayConvert } from '../environment.js';
import { type CodeLanguage, codeLanguage, highlight } from './code-languages.js';
import { type CodePart, partsOf } from './pygments-classes.rules.js';

/** `#!/usr/bin/python` or `:::python` as the first line of code without a language. */
const FIRST_LINE = /^(?:#!(?:\/\S*\/)?(?:env[ \t]+)?|:::)([\w+#.-]{1,40})/;

/** The cost of a block besides its length, in characters. */
const FIXED_COST = 50;

const TOKEN = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
};

/** Highlighted code. */
interface HighlightedCode {
  /** The name of its language; empty without one. */
  readonly language: string;
  /** With the classes of Pygments, which clients know. */
  readonly html: string;
}

/**
 * Highlights code in the language that its fence names, or that its first line names as a program. Code of an unknown
 * language, and code for which the rendering has no room left, is shown without colours.
 */
export function highlightedCode(
  source: string,
  given: string,
  environment: Env | undefined,
): HighlightedCode {
  const code = tidied(source);
  const named = codeLanguage(given);
  const { grammar } = given === '' ? programOf(code) : named;
  const isPlain =
    grammar === undefined || !mayConvert(environment, 'code', code.length + FIXED_COST);
  const html = isPlain ? escaped(code) : htmlOf(joined(partsIn(code, grammar)));
  return { language: escaped(named.name), html };
}

function programOf(code: string): CodeLanguage {
  const [, name] = FIRST_LINE.exec(code) ?? [];
  return name === undefined ? { name: '', grammar: undefined } : codeLanguage(name);
}

/** Without empty lines around it, and without white space at the ends of lines. */
function tidied(source: string): string {
  const lines = source.split('\n').map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? '' : `${lines.slice(first, last + 1).join('\n')}\n`;
}

/** Translates the classes of highlight.js. */
function partsIn(code: string, grammar: string): CodePart[] {
  const parts: CodePart[] = [];
  const scopes: string[] = [];
  for (const [piece, classes] of highlight(code, grammar).matchAll(TOKEN)) {
    if (classes !== undefined) scopes.push(scopeOf(classes));
    else if (piece === '</span>') scopes.pop();
    else parts.push(...partsOf(unescaped(piece), scopes, grammar));
  }
  return grammar === 'python' ? withWhiteSpace(parts) : parts;
}

/** `hljs-title function_` is a function, `hljs-string` a string. */
const scopeOf = (classes: string): string =>
  (classes.split(' ').at(-1) ?? '').replace(/^hljs-/, '');

/** White space between `def` or `class` and a name has a class of its own. */
const withWhiteSpace = (parts: readonly CodePart[]): CodePart[] =>
  parts.map((part, index) => {
    const before = parts[index - 1];
    const isBetween =
      part.text.trim() === '' && before?.className === 'k' && /^(?:def|class)$/.test(before.text);
    return isBetween ? { ...part, className: 'w' } : part;
  });

/** Joins parts with the same class. */
function joined(parts: readonly CodePart[]): CodePart[] {
  const runs: { texts: string[]; className: string | null }[] = [];
  for (const { text, className } of parts) {
    const run = runs.at(-1);
    if (run?.className === className) run.texts.push(text);
    else runs.push({ texts: [text], className });
  }
  return runs.map(({ texts, className }) => ({ text: texts.join(''), className }));
}

const htmlOf = (parts: readonly CodePart[]): string =>
  parts
    .map(({ text, className }) =>
      className === null ? escaped(text) : `<span class="${className}">${escaped(text)}</span>`,
    )
    .join('');

const unescaped = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|amp|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
