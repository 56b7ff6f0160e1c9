import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runBundle } from './run-bundle.js';

const HASH = '0123456789abcdef';
const received: unknown[] = [];

/** A bundle as the build writes it. */
const bundleOf = (body: string) =>
  `(async(require,requireExternal,bundleUrl,__filename,__dirname)=>{'use strict';\n${body}\n})`;

describe(runBundle.name, () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-bundle-'));
    file = path.join(folder, 'program.js');
    Object.assign(globalThis, { received });
    received.length = 0;
  });

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'received');
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (body: string) => writeFileSync(file, bundleOf(body));
  const run = (hash = HASH) => runBundle(pathToFileURL(file), hash);
  const compiledFiles = () => readdirSync(folder).filter((name) => name.endsWith('.compiled'));

  it('gives the bundle what its modules need, and waits for it', async () => {
    write(`await null; const { sep } = requireExternal('node:path');
      received.push(sep, bundleUrl, __filename, __dirname, typeof require.resolve);`);
    await run();
    expect(received).toEqual([path.sep, pathToFileURL(file).href, file, folder, 'function']);
  });

  it('keeps the compiled code of the first run, and takes it over in later ones', async () => {
    write('received.push(1);');
    await run();
    const [kept = ''] = compiledFiles();
    const { ino } = statSync(path.join(folder, kept));
    await run();
    expect(compiledFiles()).toEqual([kept]);
    expect(statSync(path.join(folder, kept)).ino).toBe(ino);
    expect(received).toEqual([1, 1]);
  });

  it('does not take over the compiled code of another bundle of the same length', async () => {
    write('received.push(1);');
    await run();
    write('received.push(2);');
    await run('another hash');
    expect(received).toEqual([1, 2]);
  });

  it('replaces compiled code that V8 rejects', async () => {
    const kept = path.join(folder, `program.${HASH}-${cachedDataVersionTag()}.compiled`);
    writeFileSync(kept, 'damaged');
    write('received.push(1);');
    await run();
    expect(statSync(kept).size).toBeGreaterThan('damaged'.length);
    expect(received).toEqual([1]);
  });

  it('runs a bundle whose compiled code it cannot keep', async () => {
    write(`requireExternal('node:fs').rmSync(__dirname, { recursive: true }); received.push(1);`);
    await run();
    expect(received).toEqual([1]);
    expect(existsSync(folder)).toBe(false);
  });

  it('keeps the compiled code of a program that refuses its configuration, as in the build of the image', async () => {
    write('process.exitCode = 1;');
    await run();
    process.exitCode = undefined;
    expect(compiledFiles()).toHaveLength(1);
  });

  it('rejects with the error of a bundle', async () => {
    write(`throw new Error('no start');`);
    await expect(run()).rejects.toThrow('no start');
    expect(compiledFiles()).toEqual([]);
  });

  describe('with source maps', () => {
    const { prepareStackTrace } = Error;
    const wasEnabled = process.sourceMapsEnabled;

    afterEach(() => {
      Error.prepareStackTrace = prepareStackTrace;
      process.setSourceMapsEnabled(wasEnabled);
    });

    it('names the sources in stack traces, and only the file of a package', async () => {
      process.setSourceMapsEnabled(true);
      write(
        `const own = () => new TypeError('wrong');\nreceived.push(own(),\n new Error('later'));`,
      );
      // Of each line: own.ts from line 7, nothing, a package from line 3.
      const sources = ['../own.ts', '../node_modules/some/index.js'];
      const mappings = ';AAMA;;ACJA';
      writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources, names: [], mappings }));
      await run();
      const [own, ofPackage] = received.map((error) => (error as Error).stack);
      const source = path.join(folder, '../own.ts');
      expect(own).toMatch(/^TypeError: wrong\n {4}at own \(/);
      expect(own).toContain(`own (${source}:7:`);
      expect(ofPackage).toContain(path.join(folder, '../node_modules/some/index.js'));
      expect(ofPackage).not.toContain('index.js:');
    });
  });
});
