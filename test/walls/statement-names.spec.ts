import { describe, expect, it } from '@jest/globals';
import { programSources, textOf } from './program-sources.js';

/** A call with the name of a prepared statement and the constant of its SQL. */
const PREPARED =
  /(?:query|queryRow)\w*(?:<[^()]*?>)?\(\s*(?:\w+,\s*)?'(?<name>[a-z_0-9]+)',\s*(?<sql>[A-Z_0-9]+)\b/g;

describe('the name of a prepared statement', () => {
  it('belongs to one statement: another one on the same connection is an error', () => {
    const statements = new Map<string, Set<string>>();
    for (const file of programSources) {
      for (const { groups } of textOf(file).matchAll(PREPARED)) {
        const { name = '', sql = '' } = groups ?? {};
        statements.set(name, (statements.get(name) ?? new Set()).add(`${sql} of ${file}`));
      }
    }
    expect(statements.size).toBeGreaterThan(400);
    expect([...statements].filter(([, places]) => places.size > 1)).toEqual([]);
  });
});
