import { Injectable } from '@nestjs/common';

/** In Unicode code points; what is longer takes longer to hash. */
export const LONGEST_PASSWORD = 100;
const SHORTEST_PASSWORD = 6;

/** So many guesses someone who knows how people make up passwords must need. */
const FEWEST_GUESSES = 10_000;

/**
 * As many code points are looked at: the time that takes grows with the square of the length. Whatever
 * follows makes a password only stronger.
 */
const EXAMINED = 32;

type Estimate = (password: string, ownWords: string[]) => number;

/**
 * Tells weak passwords by how many guesses they take. The lists of words that it knows take some 50 MB
 * and a quarter of a second, once in a process: they are read when first needed.
 */
@Injectable()
export class PasswordStrength {
  #estimate: Promise<Estimate> | undefined;

  /** `ownWords` are those that somebody would try first: the name and the address of the account. */
  async suffices(password: string, ownWords: readonly string[]): Promise<boolean> {
    const characters = [...password];
    if (characters.length < SHORTEST_PASSWORD) return false;
    this.#estimate ??= readEstimate();
    const estimate = await this.#estimate;
    return estimate(characters.slice(0, EXAMINED).join(''), [...ownWords]) >= FEWEST_GUESSES;
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
