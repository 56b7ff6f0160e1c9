import { lazily } from '#platform/core';
import { highlighter } from '../libraries.js';

/** The names of grammars by alias. */
const grammars = lazily(
  () =>
    new Map(
      highlighter()
        .listLanguages()
        .flatMap((name) =>
          [name, ...(highlighter().getLanguage(name)?.aliases ?? [])].map(
            (alias) => [alias.toLowerCase(), name] as const,
          ),
        ),
    ),
);

/** A language of code. */
export interface CodeLanguage {
  /** The name that clients know; that of Pygments. */
  readonly name: string;
  /** The grammar that highlights it; undefined for a language that is not highlighted. */
  readonly grammar: string | undefined;
}

const language = (name: string, grammar: string | undefined): CodeLanguage => ({ name, grammar });

/** Languages whose names, or the names of whose grammars, differ between highlight.js and Pygments. */
const exceptions: Readonly<Record<string, CodeLanguage>> = {
  'css+php': language('CSS+PHP', 'php'),
  'html+php': language('HTML+PHP', 'php'),
  'javascript+php': language('JavaScript+PHP', 'php'),
  'js+php': language('JavaScript+PHP', 'php'),
  'xml+php': language('XML+PHP', 'php'),
  console: language('Bash Session', 'shell'),
  'shell-session': language('Bash Session', 'shell'),
  html: language('HTML', 'xml'),
  xml: language('XML', 'xml'),
  svg: language('XML', 'xml'),
  latex: language('TeX', 'latex'),
  tex: language('TeX', 'latex'),
  php: language('PHP', 'php'),
  lisp: language('Common Lisp', 'lisp'),
  py2: language('Python 2.x', 'python'),
  python2: language('Python 2.x', 'python'),
  py3: language('Python', 'python'),
  python3: language('Python', 'python'),
  sh: language('Bash', 'bash'),
  shell: language('Bash', 'bash'),
  text: language('Text only', undefined),
  ini: language('INI', 'ini'),
  toml: language('TOML', 'ini'),
  docker: language('Docker', 'dockerfile'),
  dockerfile: language('Docker', 'dockerfile'),
  fsharp: language('F#', 'fsharp'),
  protobuf: language('Protocol Buffer', 'protobuf'),
  nginx: language('Nginx configuration file', 'nginx'),
  r: language('S', 'r'),
  'objective-c': language('Objective-C', 'objectivec'),
};

/** The language that the first line of a fence names. An unknown language keeps its name. */
export function codeLanguage(given: string): CodeLanguage {
  if (given === '') return language('', undefined);
  const alias = given.toLowerCase();
  const exception = Object.hasOwn(exceptions, alias) ? exceptions[alias] : undefined;
  if (exception !== undefined) return exception;
  const grammar = grammars().get(alias);
  const name = grammar === undefined ? given : highlighter().getLanguage(grammar)?.name;
  return language(name ?? given, grammar);
}

/** Highlights code. The answer is HTML with the classes of highlight.js. */
export const highlight = (code: string, grammar: string): string =>
  highlighter().highlight(code, { language: grammar, ignoreIllegals: true }).value;
