import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { errorGroups } from './error-groups.js';
import { withSections } from './generated-sections.js';
import { referencePages, referenceSections } from './reference-sections.js';

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

describe('the reference', () => {
  // When this fails: `npm run docs`.
  it.each(referencePages)('%s matches the declarations in the code', (page) => {
    const text = read(page);
    expect(text).toBe(withSections(text, referenceSections));
  });

  it('has a table for each group of errors', () => {
    const tables = [...read('docs/errors.md').matchAll(/<!-- generated: errors ([\w-]+) -->/g)];
    expect(tables.map(([, group]) => group)).toEqual(Object.keys(errorGroups));
  });

  it('lists each error name in exactly one group', () => {
    const names = Object.values(errorGroups).flatMap((group) => Object.keys(group));
    expect(names).toHaveLength(new Set(names).size);
  });

  it.each(Object.values(errorGroups).flatMap((group) => Object.values(group)))(
    'has a code, a status, a text and an explanation for $name',
    ({ code, status, msg, when }) => {
      expect(code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(msg).not.toBe('');
      expect(when).not.toBe('');
    },
  );

  it('has an endpoints table', () => {
    expect(read('docs/api.md')).toContain('<!-- generated: endpoints -->');
  });
});

describe('withSections', () => {
  it('regenerates a section and keeps the rest of the page', () => {
    const page = (text: string) =>
      `# A\n\n<!-- generated: list b -->\n${text}\n<!-- end of generated -->\n\nc\n`;
    expect(withSections(page('old\n\nlines'), { list: (word = '') => `- ${word}` })).toBe(
      page('\n- b\n'),
    );
  });

  it('rejects an unknown section', () => {
    expect(() =>
      withSections('<!-- generated: nothing -->\n\n<!-- end of generated -->', {}),
    ).toThrow('No section is called "nothing"');
  });
});
