import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('has a row in docs/transports.md for each script of findings', () => {
  const [, rows = ''] = readFileSync('docs/transports.md', 'utf8').split(
    '## What other libraries do',
  );
  const listed = [...rows.matchAll(/^\| `([\w-]+)` /gm)].map(([, name]) => `${name}.sh`);
  const scripts = readdirSync('findings').filter((file) => file.endsWith('.sh'));
  expect(listed.toSorted()).toEqual(scripts.toSorted());
});
