import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import swc from '@swc/core';
import { swcOptions } from '../../deploy/local/swc-options.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = path.join(root, 'node_modules/.cache/carillon/tests');

const settings = { ...swcOptions, sourceMaps: true };
const version = `${swc.version} ${JSON.stringify(settings)}`;

/**
 * Whether a file is TypeScript of this project.
 * @param {string} file
 */
export const isSource = (file) =>
  file.startsWith(root) && file.endsWith('.ts') && !file.includes('node_modules');

/**
 * Compiles a TypeScript file; the result of an unchanged file is read from the cache.
 * @param {string} file
 * @returns {{ code: string, originalCode: string, sourceMapPath: string }}
 */
export function compile(file) {
  const originalCode = readFileSync(file, 'utf8');
  const digest = createHash('sha256').update(version).update(originalCode).digest('hex');
  const kept = path.join(cache, path.relative(root, file));
  const sourceMapPath = `${kept}.map`;
  const known = readIfPresent(`${kept}.js`);
  if (known?.endsWith(digest)) return { code: known, originalCode, sourceMapPath };
  const { code: compiled, map = '' } = swc.transformSync(originalCode, {
    ...settings,
    filename: file,
  });
  const code = `${compiled}\n// ${digest}`;
  mkdirSync(path.dirname(kept), { recursive: true });
  replace(sourceMapPath, map);
  replace(`${kept}.js`, code);
  return { code, originalCode, sourceMapPath };
}

/** @param {string} file */
function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Writes a file at once, because other workers read it meanwhile.
 * @param {string} file
 * @param {string} text
 */
function replace(file, text) {
  const draft = `${file}.${process.pid}-${threadId}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
