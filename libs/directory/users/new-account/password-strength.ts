import { Injectable } from '@nestjs/common';

/** In code points; bounds the time to hash a password. */
export const LONGEST_PASSWORD = 100;
const SHORTEST_PASSWORD = 6;

/** The minimum number of guesses that a password must resist. */
const MIN_GUESSES = 10_000;

/**
 * The number of code points that the estimate examines: its time grows with the square of the length. More code points
 * only make a password stronger.
 */
const MAX_EXAMINED = 32;

type Estimate = (password: string, ownWords: string[]) => number;

/**
 * Estimates the number of guesses that a password resists. Its word lists need about 50 MB and 250 ms once per process,
 * so they are loaded on first use.
 */
@Injectable()
export class PasswordStrength {
  #estimate: Promise<Estimate> | undefined;

  /** `ownWords` are the most likely guesses: the name and the address of the account. */
  async suffices(password: string, ownWords: readonly string[]): Promise<boolean> {
    const characters = [...password];
    if (characters.length < SHORTEST_PASSWORD) return false;
    this.#estimate ??= readEstimate();
    const estimate = await this.#estimate;
    return estimate(characters.slice(0, MAX_EXAMINED).join(''), [...ownWords]) >= MIN_GUESSES;
  }
}

async function readEstimate(): Promise<Estimate> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  const estimator = new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
  });
  return (password, ownWords) => estimator.check(password, ownWords).guesses;
}
