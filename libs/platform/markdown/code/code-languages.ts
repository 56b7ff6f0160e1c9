import highlighter from 'highlight.js/lib/common';
import clojure from 'highlight.js/lib/languages/clojure';
import cmake from 'highlight.js/lib/languages/cmake';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import elm from 'highlight.js/lib/languages/elm';
import erlang from 'highlight.js/lib/languages/erlang';
import fsharp from 'highlight.js/lib/languages/fsharp';
import groovy from 'highlight.js/lib/languages/groovy';
import haskell from 'highlight.js/lib/languages/haskell';
import http from 'highlight.js/lib/languages/http';
import julia from 'highlight.js/lib/languages/julia';
import latex from 'highlight.js/lib/languages/latex';
import lisp from 'highlight.js/lib/languages/lisp';
import nginx from 'highlight.js/lib/languages/nginx';
import nix from 'highlight.js/lib/languages/nix';
import ocaml from 'highlight.js/lib/languages/ocaml';
import powershell from 'highlight.js/lib/languages/powershell';
import prolog from 'highlight.js/lib/languages/prolog';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import scheme from 'highlight.js/lib/languages/scheme';

const further = {
  clojure,
  cmake,
  dart,
  dockerfile,
  elixir,
  elm,
  erlang,
  fsharp,
  groovy,
  haskell,
  http,
  julia,
  latex,
  lisp,
  nginx,
  nix,
  ocaml,
  powershell,
  prolog,
  protobuf,
  scala,
  scheme,
};
for (const [name, grammar] of Object.entries(further)) {
  highlighter.registerLanguage(name, grammar);
}

/** The names of grammars by alias. */
const grammars = new Map(
  highlighter
    .listLanguages()
    .flatMap((name) =>
      [name, ...(highlighter.getLanguage(name)?.aliases ?? [])].map(
        (alias) => [alias.toLowerCase(), name] as const,
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
  const alias = given.toLowerCase();
  const grammar = grammars.get(alias);
  if (Object.hasOwn(exceptions, alias)) return exceptions[alias] ?? language(given, grammar);
  const name = grammar === undefined ? given : highlighter.getLanguage(grammar)?.name;
  return language(name ?? given, grammar);
}

/** Highlights code. The answer is HTML with the classes of highlight.js. */
export const highlight = (code: string, grammar: string): string =>
  highlighter.highlight(code, { language: grammar, ignoreIllegals: true }).value;
