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
const FURTHER_LANGUAGES =
  'clojure cmake dart dockerfile elixir elm erlang fsharp groovy haskell http julia latex lisp nginx nix ocaml ' +
  'powershell prolog protobuf scala scheme';

export const highlighter = lazily(() => {
  const loaded = require('highlight.js/lib/common') as HLJSApi;
  for (const name of FURTHER_LANGUAGES.split(' ')) {
    loaded.registerLanguage(name, require(`highlight.js/lib/languages/${name}`) as LanguageFn);
  }
  return loaded;
});
