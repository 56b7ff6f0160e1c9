import { readFileSync } from 'node:fs';
import { compile } from './compile.mjs';

/** Compiles files that no test imports, for the coverage report. */
export default {
  process: (_source, file) => {
    const { code, sourceMapPath } = compile(file);
    return { code, map: readFileSync(sourceMapPath, 'utf8') };
  },
};
