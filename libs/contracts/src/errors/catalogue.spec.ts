import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { errorCatalogue } from './catalogue.js';

const cases = Object.entries(errorCatalogue).map(([name, error]) => ({ name, ...error }));

/** The rows of all tables of docs/errors.md, without their headings. */
const documented = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
  .filter(([name = '']) => name !== 'Name' && !/^-+$/.test(name));

describe('errorCatalogue', () => {
  it.each(cases)('has a code, a status and a text for $name', ({ code, status, msg }) => {
    expect(code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(msg).not.toBe('');
  });

  it('is what docs/errors.md says, in the same order', () => {
    expect(documented.map(([name, code, status, msg]) => ({ name, code, status, msg }))).toEqual(
      cases.map(({ name, code, status, msg }) => ({ name, code, status: String(status), msg })),
    );
  });

  it('has its cases explained in docs/errors.md', () => {
    expect(documented.filter(([, , , , when = '']) => when === '')).toEqual([]);
  });
});
