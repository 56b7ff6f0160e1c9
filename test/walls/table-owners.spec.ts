import { describe, expect, it } from '@jest/globals';
import { programSources, textOf } from './program-sources.js';
import { foreignWriters, tableOwners } from './table-owners.js';
import { tablesByModel, writesIn } from './writes-in.js';

const tables = tablesByModel(textOf('prisma/schema.prisma'));

/** Returns the capability of a file: `libs/chat/channels/channel.repository.ts` belongs to `chat/channels`. */
const capabilityOf = (path: string) =>
  path.startsWith('libs/') ? path.split('/').slice(1, 3).join('/') : path;

const writes = programSources.flatMap((path) =>
  writesIn(textOf(path), tables).map((table) => ({ table, path, writer: capabilityOf(path) })),
);

const isListed = (table: string, writer: string) =>
  foreignWriters.some((known) => known.table === table && known.writer === writer);

describe('a table', () => {
  it('has an owner, and every listed table exists', () => {
    expect(Object.keys(tableOwners).toSorted()).toEqual([...tables.values()].toSorted());
  });

  it('is written by its owner and the listed writers only', () => {
    const unlisted = writes.filter(
      ({ table, writer }) => tableOwners[table] !== writer && !isListed(table, writer),
    );
    expect(unlisted).toEqual([]);
  });

  it('is written in files named *.repository.ts', () => {
    expect(writes.filter(({ path }) => !path.endsWith('.repository.ts'))).toEqual([]);
  });

  it('has no listed writer without a write', () => {
    const idle = foreignWriters.filter(
      (known) =>
        !writes.some(({ table, writer }) => table === known.table && writer === known.writer),
    );
    expect(idle).toEqual([]);
  });
});
