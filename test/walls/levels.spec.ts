import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { reportedVersion } from '#platform/contracts';

/** A line of `levels.tsv`: the levels, what they change, and a test with its title, or `-` with a reason. */
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

describe('the levels of the API', () => {
  it('are all listed, each once and in order, up to the reported one', () => {
    let next = 1;
    for (const { first, last } of rows) {
      expect([first, last >= first]).toEqual([next, true]);
      next = last + 1;
    }
    expect(next - 1).toBe(reportedVersion.zulip_feature_level);
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
