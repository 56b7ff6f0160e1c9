import { median } from './median.js';
import { passTurn } from './turns.js';

/** Measures once; resolves with the rate. */
type Round = () => Promise<number>;

/**
 * Measures the reference and Carillon in turn, so that other load of the machine affects both. Resolves with the
 * medians.
 */
export const interleave = (
  rounds: number,
  measureLimit: Round,
  measureOurs: Round,
): Promise<{ limit: number; ours: number }> =>
  inTurn(rounds, { limit: measureLimit, ours: measureOurs });

/** The same for any number of designs, in their order. */
export async function inTurn<Name extends string>(
  rounds: number,
  designs: Readonly<Record<Name, Round>>,
): Promise<Record<Name, number>> {
  // Object.entries loses the type of the names.
  const names = Object.keys(designs) as Name[];
  const rates = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) rates.get(name)?.push(await designs[name]());
    await passTurn();
  }
  // Of the same names.
  return Object.fromEntries(names.map((name) => [name, median(rates.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}
