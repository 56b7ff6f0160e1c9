import { lazily } from '#platform/core';

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

/**
 * The spellings with digits and symbols in place of letters that the estimate compares with its words. Each needs a search of
 * its own: 100, the default of the library, take 150 ms for a password of 32 digits and symbols, these 25 ms. Of 4,000 words
 * with such spellings both judge each alike.
 */
const MAX_SPELLINGS = 16;

/** Its word lists need about 50 MB and 250 ms once per process, so they are loaded on first use. */
const strengthEstimator = lazily(async () => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    l33tMaxSubstitutions: MAX_SPELLINGS,
  });
});

/**
 * Whether a password is long enough and resists enough guesses. `ownWords` are the most likely guesses: the name and the
 * address of the account.
 */
export async function isStrongPassword(
  password: string,
  ownWords: readonly string[],
): Promise<boolean> {
  const characters = [...password];
  if (characters.length < SHORTEST_PASSWORD) return false;
  const estimator = await strengthEstimator();
  const examined = characters.slice(0, MAX_EXAMINED).join('');
  return estimator.check(examined, [...ownWords]).guesses >= MIN_GUESSES;
}
