import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** A longer row breaks in editors and terminals. */
const LONGEST_ROW = 160;
/** Compared cell by cell with the conformance suite, whose titles it has. */
const COMPARED = '| what the suite asks';

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'].concat(
  readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file)),
);

/** The tables of a page, without the generated ones. */
const tablesOf = (page: string): readonly string[] =>
  page.replaceAll(/<!-- generated[^]*?<!-- end of generated -->/g, '').match(/(?:^\|.*\n?)+/gm) ??
  [];

describe('the documents', () => {
  it('have tables', () => {
    const count = pages.flatMap((file) => tablesOf(readFileSync(file, 'utf8'))).length;
    expect(count).toBeGreaterThan(50);
  });

  it.each(pages)('have no table row in %s that is too wide', (file) => {
    const wide = tablesOf(readFileSync(file, 'utf8'))
      .filter((table) => !table.startsWith(COMPARED))
      .flatMap((table) => table.split('\n'))
      .filter((row) => row.length > LONGEST_ROW);
    expect(wide).toEqual([]);
  });
});
