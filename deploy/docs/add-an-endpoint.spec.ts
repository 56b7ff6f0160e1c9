import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/add-an-endpoint.md');

/** Ignores the layout and the trailing comments of an example. */
const condensed = (code: string) =>
  code.replaceAll(/^\s*\/\*\*.*\*\/$|\s*\/\/.*$/gm, '').replaceAll(/\s+/g, '');

/** The steps of the guide: the first file that a step names, and its code. */
const steps = [
  ...page.matchAll(
    /^## \d+\. (?<title>.+)\n+In `(?<name>[^`]+)`[\s\S]*?```ts\n(?<code>[\s\S]*?)```/gm,
  ),
].map(({ groups }) => ({
  title: groups?.['title'],
  name: groups?.['name'] ?? '',
  code: groups?.['code'] ?? '',
}));

describe('the guide for adding an endpoint', () => {
  it('has an example for each layer', () => {
    expect(steps.length).toBeGreaterThanOrEqual(6);
  });

  it.each(steps)('shows in "$title" the code of $name', ({ name, code }) => {
    const path = [...page.matchAll(/`([\w./-]+)`/g)]
      .map(([, found = '']) => found)
      .find((found) => found.endsWith(`/${name}`));
    expect(existsSync(new URL(path ?? 'missing', root))).toBe(true);
    const file = condensed(read(path ?? ''));
    const missing = code.split('\n\n').filter((part) => !file.includes(condensed(part)));
    expect(missing).toEqual([]);
  });
});
