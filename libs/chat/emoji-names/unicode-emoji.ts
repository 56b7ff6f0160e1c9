import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { groupBy } from '#platform/core';
import { normalizeEmojiCode } from './emoji-code.rules.js';
import { terminalNames } from './terminal-names.js';

/**
 * Names that clients of this API use where the presets differ: names by code, separated by spaces. A name that
 * occurs twice means the first emoji where no code is given.
 */
export const clientNames: Readonly<Record<string, string>> = {
  // Suggested as statuses.
  '1f4c5': 'calendar',
  '1f915': 'hurt',
  '1f912': 'sick',
  '1f6e0': 'working_on_it',
  // Suggested as reactions. Servers have called three emoji a smile.
  '1f604': 'smile big_smile',
  '1f642': 'slight_smile smile',
  '263a': 'smile',
  '1f44d': '+1 like',
  '2764': 'heart love',
  // Short names.
  '1f44c': 'ok',
  '1f44b': 'wave hello',
  '1f641': 'frown',
  '2639': 'sad',
  '1f614': 'tired',
  '1f319': 'moon',
  '2705': 'check',
  '1f557': 'time',
  '1f3b5': 'music',
  '1f4a1': 'idea',
  '1f4b0': 'money',
  '1f610': 'neutral',
  '2b06': 'up',
  '2797': 'division',
  // Where presets give the name to a face of the animal.
  '1f408': 'cat',
  '1f415': 'dog',
  '1f407': 'rabbit',
  // Where presets have another name first.
  '1f384': 'holiday_tree',
  '1f947': 'gold',
  '1f4a9': 'poop',
  '1f441-200d-1f5e8': 'eye_in_speech_bubble',
};

/** Presets of other chats. Where they disagree on a name, the earlier one is usually right. */
const PRESETS = ['github', 'iamcal', 'joypixels', 'cldr', 'emojibase'] as const;

const preset = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Names by code from one preset or table; codes in any form. */
type EmojiNames = Readonly<Record<string, string | readonly string[]>>;

/** The emoji of Unicode with their short description and the words by which people search them. */
const described = z.array(
  z.object({ hexcode: z.string(), label: z.string(), tags: z.array(z.string()).default([]) }),
);

const { resolve } = createRequire(import.meta.url);

/** The emoji of Unicode with their codes and names. */
export class UnicodeEmoji {
  /** Nearly every name has one code; the names of an emoji share its list. */
  readonly #codesOfName = new Map<string, readonly [string, ...string[]]>();
  readonly #nameOfCode = new Map<string, string>();
  readonly #keywordsOfCode: ReadonlyMap<string, readonly string[]>;

  /**
   * Where a name stands for several emoji, the first table with the name decides its meaning without a code. Keywords are
   * names only beside a code, because most of them stand for many emoji.
   */
  constructor(
    tables: Iterable<EmojiNames>,
    keywords: ReadonlyMap<string, readonly string[]> = new Map(),
  ) {
    this.#keywordsOfCode = keywords;
    for (const table of tables) {
      for (const [given, names] of Object.entries(table)) {
        const codes = [normalizeEmojiCode(given)] as const;
        for (const name of typeof names === 'string' ? [names] : names) this.#add(codes, name);
      }
    }
  }

  /** The code that a name stands for without a code; undefined for an unknown name. */
  codeOf(name: string): string | undefined {
    return this.#codesOfName.get(name)?.[0];
  }

  /** A name of the emoji with a normalized code; undefined for an unknown code. */
  nameOf(code: string): string | undefined {
    return this.#nameOfCode.get(code);
  }

  /** Whether a name is one of the names or keywords of the emoji with a normalized code. */
  isNamed(code: string, name: string): boolean {
    const isName = this.#codesOfName.get(name)?.includes(code) === true;
    return isName || this.#keywordsOfCode.get(code)?.includes(name) === true;
  }

  /** The names that stand for an emoji without a code, by its normalized code. */
  namesByCode(): ReadonlyMap<string, readonly string[]> {
    const byCode = groupBy([...this.#codesOfName], ([, [code]]) => code);
    return new Map([...byCode].map(([code, named]) => [code, named.map(([name]) => name)]));
  }

  #add(codes: readonly [string], name: string): void {
    const [code] = codes;
    const known = this.#codesOfName.get(name);
    if (known === undefined) this.#codesOfName.set(name, codes);
    else if (!known.includes(code)) this.#codesOfName.set(name, [...known, code]);
    if (!this.#nameOfCode.has(code)) this.#nameOfCode.set(code, name);
  }
}

/**
 * All names of Unicode emoji, the names of clients first. Reads the presets from disk one at a time, so that only one
 * is in memory.
 */
export function* readEmojiNames(): Generator<EmojiNames> {
  yield Object.fromEntries(
    Object.entries(clientNames).map(([code, names]) => [code, names.split(' ')]),
  );
  for (const name of PRESETS) {
    const file = resolve(`emojibase-data/en/shortcodes/${name}.json`);
    yield preset.parse(JSON.parse(readFileSync(file, 'utf8')));
  }
}

/**
 * The keywords of Unicode emoji in the form of names, by normalized code. Clients of this API have names of their own for
 * hundreds of emoji, many of them these words; the others are `added`, one for a code.
 */
export function readEmojiKeywords(
  added: Readonly<Record<string, string>> = terminalNames,
): ReadonlyMap<string, readonly string[]> {
  const file = resolve('emojibase-data/en/compact.json');
  return new Map(
    described.parse(JSON.parse(readFileSync(file, 'utf8'))).map(({ hexcode, label, tags }) => {
      const code = normalizeEmojiCode(hexcode);
      const keywords = [...[label, ...tags].map(keywordOf), added[code] ?? ''];
      return [code, [...new Set(keywords)].filter((keyword) => keyword !== '')];
    }),
  );
}

/** `flag: Trinidad & Tobago` becomes `flag_trinidad_and_tobago`; an emoticon may become empty. */
const keywordOf = (words: string): string =>
  (
    words
      .toLowerCase()
      .replaceAll('&', 'and')
      .replaceAll(/[’.]/g, '')
      .match(/[\p{L}\p{N}+]+/gu) ?? []
  ).join('_');
