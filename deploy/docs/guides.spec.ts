import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Ignores the layout and the trailing comments of an example. */
const condensed = (code: string) =>
  code.replaceAll(/^\s*\/\*\*.*\*\/$|\s*\/\/.*$/gm, '').replaceAll(/\s+/g, '');

/** The steps of a guide: the first file that a step names, and its code. */
const stepsOf = (page: string) =>
  [
    ...page.matchAll(
      /^## \d+\. (?<title>.+)\n+In `(?<name>[^`]+)`[\s\S]*?```(?:ts|sql|prisma)\n(?<code>[\s\S]*?)```/gm,
    ),
  ].map(({ groups }) => ({
    title: groups?.['title'],
    name: groups?.['name'] ?? '',
    code: groups?.['code'] ?? '',
  }));

describe.each([
  ['docs/add-an-endpoint.md', 6],
  ['docs/add-a-field.md', 4],
])('the guide %s', (guide, leastSteps) => {
  const page = read(guide);
  const steps = stepsOf(page);

  it('has an example for each layer', () => {
    expect(steps.length).toBeGreaterThanOrEqual(leastSteps);
  });

  it.each(steps)('shows in "$title" the code of $name', ({ name, code }) => {
    const path = [...page.matchAll(/`([\w./-]+)`/g)]
      .map(([, found = '']) => found)
      .find((found) => found === name || found.endsWith(`/${name}`));
    expect(existsSync(new URL(path ?? 'missing', root))).toBe(true);
    const file = condensed(read(path ?? ''));
    const missing = code.split('\n\n').filter((part) => !file.includes(condensed(part)));
    expect(missing).toEqual([]);
  });
});
