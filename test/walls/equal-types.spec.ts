import { describe, expect, it } from '@jest/globals';
import { programSources, textOf } from './program-sources.js';

/** Interfaces that have the same members and mean different things. */
const different: ReadonlySet<string> = new Set([
  // The readers of starred messages; the readers whose wishes differ after a move.
  'MovedMessages, StarredMessages',
]);

const INTERFACE = /^(?:export )?interface (?<name>\w+) \{\n(?<body>[\s\S]*?)^\}/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** The members of an interface, in the order of their text. */
const membersOf = (body: string): string =>
  body
    .replaceAll(COMMENT, '')
    .split(/;\n/)
    .map((member) => member.replaceAll(/\s+/g, ' ').trim())
    .filter((member) => member !== '')
    .toSorted()
    .join('; ');

/** The names of interfaces with the same members, without those of one member. */
function equalInterfaces(texts: readonly string[]): string[] {
  const names = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const { groups } of text.matchAll(INTERFACE)) {
      const members = membersOf(groups?.['body'] ?? '');
      if (!members.includes('; ')) continue;
      names.set(members, (names.get(members) ?? new Set()).add(groups?.['name'] ?? ''));
    }
  }
  return [...names.values()]
    .filter(({ size }) => size > 1)
    .map((equal) => [...equal].toSorted().join(', '));
}

describe('Interfaces', () => {
  it('are found equal by their members, in any order', () => {
    const one =
      'interface One {\n  /** A text. */\n  readonly a: string;\n  readonly b: number;\n}\n';
    const other = 'export interface Other {\n  readonly b: number;\n  readonly a: string;\n}\n';
    const third = 'interface Third {\n  readonly a: string;\n  readonly b: string;\n}\n';
    expect(equalInterfaces([one, other, third])).toEqual(['One, Other']);
  });

  it('with the same members have one name', () => {
    expect(
      equalInterfaces(programSources.map(textOf)).filter((equal) => !different.has(equal)),
    ).toEqual([]);
  });
});
