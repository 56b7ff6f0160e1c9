import { describe, expect, it } from '@jest/globals';
import { BEYOND_THE_SCHEMA } from '../integration/beyond-the-schema.fixture.js';
import { programSources, textOf } from './program-sources.js';
import { LAST_RELEASE_WITH_USES, unusedObjects } from './unused-objects.js';
import { columnsByField, tablesByModel } from './writes-in.js';

const schema = textOf('prisma/schema.prisma');
const tables = tablesByModel(schema);

const namesOf = (names: ReadonlyMap<string, string>, wanted: string | undefined): string[] =>
  [...names].filter(([, name]) => name === wanted).flat();

/**
 * The names of an object in SQL and in the client: a list of names for the table, and another one for the column. Empty lists
 * for an unknown table or column.
 */
function spellings(object: string): string[][] {
  const [table, column] = object.split('.');
  const ofTable = namesOf(tables, table);
  return column === undefined
    ? [ofTable]
    : [ofTable, namesOf(columnsByField(schema, table ?? ''), column)];
}

/** Objects that the schema cannot declare are listed apart, a view by its columns. A test compares both with the migrations. */
const exists = (object: string): boolean =>
  BEYOND_THE_SCHEMA.some((known) => known === object || known.startsWith(`${object}.`)) ||
  spellings(object).every((names) => names.length > 0);

const isNamedIn = (source: string, object: string): boolean =>
  spellings(object).every((names) =>
    new RegExp(String.raw`\b(?:${[object, ...names].join('|')})\b`).test(source),
  );

describe('An unused object of the database', () => {
  it.each(unusedObjects)('exists: %s', (object) => {
    expect(exists(object)).toBe(true);
  });

  it.each(unusedObjects)('is named by no program: %s', (object) => {
    expect(programSources.filter((path) => isNamedIn(textOf(path), object))).toEqual([]);
  });

  it('is dropped by the first changes after the next release', () => {
    const [unreleased = '', newest = ''] = textOf('CHANGELOG.md').split(/^## /m).slice(1);
    const mayStay =
      newest.startsWith(`[${LAST_RELEASE_WITH_USES}]`) || !unreleased.includes('\n- ');
    expect(mayStay ? [] : unusedObjects).toEqual([]);
  });
});

describe(isNamedIn.name, () => {
  it.each([
    ['user_presence', 'DELETE FROM user_presence'],
    ['user_presence', 'prisma.userPresence.findMany()'],
    ['user_presence.active_at', 'SELECT active_at FROM user_presence'],
    ['user_presence.active_at', 'prisma.userPresence.findMany({ select: { activeAt: true } })'],
  ])('finds %s in %s', (object, source) => {
    expect(isNamedIn(source, object)).toBe(true);
  });

  it.each([
    ['user_presence', 'SELECT user_presences'],
    ['user_presence.active_at', 'SELECT idle_at FROM user_presence'],
    ['user_presence.active_at', 'SELECT active_at FROM users'],
  ])('does not find %s in %s', (object, source) => {
    expect(isNamedIn(source, object)).toBe(false);
  });
});

describe(exists.name, () => {
  it.each(['unknown', 'user_presence.unknown', 'unknown.id'])('does not know %s', (object) => {
    expect(exists(object)).toBe(false);
  });
});
