import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import type Katex from 'katex';
import type Sanitize from 'sanitize-html';
import { lazily } from '#platform/core';

/**
 * Loads at once, unlike `import()`: rendering is synchronous. These libraries are 140 modules, which the start
 * of a program does not wait for. The first text that needs one waits for at most a tenth of a second.
 */
const require = createRequire(import.meta.url);

// `require` returns any; the packages declare these types.
export const katex = lazily(() => require('katex') as typeof Katex);
export const sanitize = lazily(() => require('sanitize-html') as typeof Sanitize);

/** Languages that highlight.js does not count among the common ones. */
const FURTHER_LANGUAGES = (
  'clojure cmake dart dockerfile elixir elm erlang fsharp groovy haskell http julia latex lisp nginx nix ocaml ' +
  'powershell prolog protobuf scala scheme'
).split(' ');

const COMMON_LANGUAGES = 'highlight.js/lib/common';
const moduleOf = (language: string) => `highlight.js/lib/languages/${language}`;

/** The modules that `require` loads here, which a bundler does not see. */
export const lateModules: readonly string[] = [
  'katex',
  'sanitize-html',
  COMMON_LANGUAGES,
  ...FURTHER_LANGUAGES.map(moduleOf),
];

export const highlighter = lazily(() => {
  const loaded = require(COMMON_LANGUAGES) as HLJSApi;
  for (const name of FURTHER_LANGUAGES) {
    loaded.registerLanguage(name, require(moduleOf(name)) as LanguageFn);
  }
  return loaded;
});
