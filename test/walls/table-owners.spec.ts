import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { foreignWriters, tableOwners } from './table-owners.js';
import { tablesByModel, writesIn } from './writes-in.js';

const root = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const tables = tablesByModel(textOf('prisma/schema.prisma'));

/** The code of the programs, without tests and generated files. */
const sources = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter(
      (path) => path.endsWith('.ts') && !/[.-]spec\.ts$|\.fixture\.ts$|\/generated\//.test(path),
    ),
);

/** Returns the capability of a file: `libs/chat/channels/channel.repository.ts` belongs to `chat/channels`. */
const capabilityOf = (path: string) =>
  path.startsWith('libs/') ? path.split('/').slice(1, 3).join('/') : path;

const writes = sources.flatMap((path) =>
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
