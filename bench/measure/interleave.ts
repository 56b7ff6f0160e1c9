import { median } from './median.js';
import { passTurn } from './turns.js';

/** Measures once; resolves with the rate. */
type Round = () => Promise<number>;

/**
 * Measures the reference and Carillon in turn, so that other load of the machine affects both. Resolves with the
 * medians.
 */
export async function interleave(
  rounds: number,
  measureLimit: Round,
  measureOurs: Round,
): Promise<{ limit: number; ours: number }> {
  const limit: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await measureLimit());
    ours.push(await measureOurs());
    await passTurn();
  }
  return { limit: median(limit), ours: median(ours) };
}
