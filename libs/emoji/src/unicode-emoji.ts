import { normalizeEmojiCode } from './emoji-code.rules.js';

/** Names by code, as one preset or table gives them; codes in any form. */
export type EmojiNames = Readonly<Record<string, string | readonly string[]>>;

/** The emoji of Unicode, their codes and the names that they go by. */
export class UnicodeEmoji {
  /** Nearly every name is one emoji's: those of the same emoji share a list. */
  readonly #codesOfName = new Map<string, readonly string[]>();
  readonly #nameOfCode = new Map<string, string>();

  /** Where a name stands for several emoji, the first table that has it decides what it means alone. */
  constructor(tables: Iterable<EmojiNames>) {
    for (const table of tables) {
      for (const [given, names] of Object.entries(table)) {
        const codes = [normalizeEmojiCode(given)] as const;
        for (const name of typeof names === 'string' ? [names] : names) this.#add(codes, name);
      }
    }
  }

  /** The code of what a name means on its own; undefined when it is no emoji's. */
  codeOf(name: string): string | undefined {
    return this.#codesOfName.get(name)?.[0];
  }

  /** A name of the emoji with a normal code; undefined when there is none. */
  nameOf(code: string): string | undefined {
    return this.#nameOfCode.get(code);
  }

  /** Whether the emoji with a normal code goes by a name, be it one among others. */
  isNamed(code: string, name: string): boolean {
    return this.#codesOfName.get(name)?.includes(code) === true;
  }

  #add(codes: readonly [string], name: string): void {
    const [code] = codes;
    const known = this.#codesOfName.get(name);
    if (known === undefined) this.#codesOfName.set(name, codes);
    else if (!known.includes(code)) this.#codesOfName.set(name, [...known, code]);
    if (!this.#nameOfCode.has(code)) this.#nameOfCode.set(code, name);
  }
}
