import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reportedVersion } from '#platform/contracts';

/**
 * A line of `levels.tsv`: the levels, what they change, and a test with its title, or `-` with a reason. A level that changes
 * several things has a line for each test.
 */
interface Row {
  readonly first: number;
  readonly last: number;
  readonly change: string;
  readonly file: string;
  readonly detail: string;
}

const rows = readFileSync('test/walls/levels.tsv', 'utf8').trimEnd().split('\n').map(rowOf);

function rowOf(line: string): Row {
  const [levels = '', change = '', file = '', detail = '', ...others] = line.split('\t');
  const [first = '', last = first] = levels.split('-');
  if (others.length > 0) throw new Error(`Too many columns: ${line}`);
  return { first: Number(first), last: Number(last), change, file, detail };
}

const sources = new Map<string, string>();

/** The source of a file; empty for none. */
function sourceOf(file: string): string {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  sources.set(file, source);
  return source;
}

/** Whether a test file has a test with this title, and does not leave it out. */
function hasTest({ file, detail }: Row): boolean {
  if (!/-?spec\.ts$/.test(file)) return false;
  const source = sourceOf(file);
  const titles = [`'${detail.replaceAll("'", String.raw`\'`)}'`, `"${detail}"`, `\`${detail}\``];
  return titles.some((title) => {
    const at = source.indexOf(title);
    return at > 0 && /(?<!describe|skip|todo)\(\s*$/.test(source.slice(0, at));
  });
}

/** The source of a test file, and of its fixtures and helpers. */
function sourceWithHelpers(file: string): string {
  const source = sourceOf(file);
  const names = [...source.matchAll(/from '(#test\/|\.\.?\/)([^']+)'/g)].map(([, root, name]) =>
    root === '#test/'
      ? `test/support/${name}.ts`
      : path.join(path.dirname(file), `${root}${name}`.replace(/\.js$/, '.ts')),
  );
  const helpers = names.filter((name) => name.includes('support/') || name.includes('fixture'));
  return [source, ...helpers.map((name) => sourceOf(name))].join('\n');
}

/** The members, parameters and errors that a level adds or changes, without those that it removes. */
const namesIn = (change: string): string[] =>
  [...change.matchAll(/(?<!\bno )`([a-z\d]+(?:_[a-z\d]+)+|[A-Z]+(?:_[A-Z]+)+)`/g)].map(
    ([, name = '']) => name,
  );

describe('the levels of the API', () => {
  it('are all listed in order, up to the reported one', () => {
    let newest = 0;
    for (const [index, { first, last }] of rows.entries()) {
      const isFurtherLine = first === newest && last === newest && rows[index - 1]?.first === first;
      expect([first, last >= first]).toEqual([isFurtherLine ? newest : newest + 1, true]);
      newest = last;
    }
    expect(newest).toBe(reportedVersion.zulip_feature_level);
  });

  it('are shown by tests that name what the level adds', () => {
    const unnamed = rows.flatMap(({ first, change, file }) =>
      file === '-'
        ? []
        : namesIn(change)
            .filter((name) => !sourceWithHelpers(file).includes(name))
            .map((name) => `${first}: ${name} in ${file}`),
    );
    expect(unnamed).toEqual([]);
  });

  it('each have a test that exists, or a reason why they do not apply', () => {
    const unproven = rows.filter((row) =>
      row.file === '-' ? row.detail.trim() === '' : !hasTest(row),
    );
    expect(unproven).toEqual([]);
  });

  it('each say what they change', () => {
    expect(rows.filter(({ change }) => change.trim() === '')).toEqual([]);
  });
});
