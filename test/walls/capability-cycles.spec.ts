import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { cycleIn } from './cycle-in.js';

const root = new URL('../../libs/', import.meta.url);

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/[.-]spec\.ts$|\.fixture\.ts$|\/generated\//.test(path),
);

/** The imports between capabilities, by the aliases in their files; the import rules forbid other imports. */
function imports(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of sources) {
    const importer = path.split('/').slice(0, 2).join('/');
    const known = found.get(importer) ?? new Set<string>();
    found.set(importer, known);
    const text = readFileSync(new URL(path, root), 'utf8');
    for (const [, imported = ''] of text.matchAll(
      /(?:from |import |import\()'#([\w-]+\/[\w-]+)/g,
    )) {
      if (imported !== importer) known.add(imported);
    }
  }
  return found;
}

describe('capabilities', () => {
  it('import each other', () => {
    expect(imports().get('chat/messages')).toContain('chat/channels');
  });

  it('have no import cycles', () => {
    expect(cycleIn(imports())).toBeNull();
  });
});
