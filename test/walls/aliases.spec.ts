import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

const { imports } = read('package.json') as {
  imports: Record<string, { 'carillon-source': string; default: string }>;
};
const { compilerOptions } = read('tsconfig.json') as {
  compilerOptions: { paths: Record<string, string[]> };
};

describe('the aliases of libs', () => {
  it('are equal in package.json and tsconfig.json', () => {
    const sources = Object.entries(imports).map(([alias, to]) => [alias, [to['carillon-source']]]);
    expect(compilerOptions.paths).toEqual(Object.fromEntries(sources));
  });

  it.each(Object.entries(imports))(
    '%s resolves to the same file in the sources and in the build',
    (_alias, to) => {
      const built = to['carillon-source'].replace(/^\.\//, './dist/').replace(/\.ts$/, '.js');
      expect(to.default).toBe(built);
    },
  );

  // The compiler uses the first of two matching patterns.
  it('list the longer of two matching patterns first', () => {
    const aliases = Object.keys(compilerOptions.paths);
    const isOutOfOrder = (alias: string, index: number) =>
      aliases.slice(0, index).some((earlier) => alias.startsWith(earlier.replace(/\*$/, '*/')));
    expect(aliases.filter(isOutOfOrder)).toEqual([]);
  });
});
