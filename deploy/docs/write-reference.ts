/**
 * `npm run docs`: writes the generated sections of the reference pages in docs/ from the declarations in the code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { withSections } from './generated-sections.js';
import { referencePages, referenceSections } from './reference-sections.js';

for (const page of referencePages) {
  const before = readFileSync(page, 'utf8');
  const after = withSections(before, referenceSections);
  if (after !== before) writeFileSync(page, after);
  process.stdout.write(`${after === before ? 'unchanged' : 'written  '}  ${page}\n`);
}
