/**
 * Module hooks of Node for the test files: `import` finds and compiles the TypeScript sources of this project, and
 * `@jest/globals` is the module beside this file.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile, isSource } from './compile.mjs';

const globals = new URL('globals.mjs', import.meta.url).href;

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return module(globals);
  if (!isSourceUrl(context.parentURL)) return nextResolve(specifier, context);
  if (specifier.startsWith('#')) {
    const conditions = [...context.conditions, 'carillon-source'];
    return nextResolve(specifier, { ...context, conditions });
  }
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(source)) return module(source.href);
  }
  return nextResolve(specifier, context);
}

/** @type {import('node:module').LoadHook} */
export function load(url, context, nextLoad) {
  if (!isSourceUrl(url)) return nextLoad(url, context);
  const { code } = compile(fileURLToPath(url));
  return { format: 'module', source: code, shortCircuit: true };
}

/** @param {string | undefined} url */
const isSourceUrl = (url) => url?.startsWith('file:') === true && isSource(fileURLToPath(url));

/** @param {string} url */
const module = (url) => ({ url, format: 'module', shortCircuit: true });
