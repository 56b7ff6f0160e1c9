import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { tableOwners } from './table-owners.js';

const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
const [, section = ''] = /^## What grows$([^]*?)(?=^## |$(?![^]))/m.exec(page) ?? [];

describe('docs/scaling.md', () => {
  it('says what bounds each table, under "What grows"', () => {
    const named = new Set([...section.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(Object.keys(tableOwners).filter((table) => !named.has(table))).toEqual([]);
  });
});
