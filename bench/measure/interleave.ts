import { median } from './median.js';

/** Measures one thing once; resolves with its rate. */
export type Round = () => Promise<number>;

/**
 * Measures the limit and ours in turn, so that whatever else the machine does hits both alike;
 * resolves with the medians.
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
  }
  return { limit: median(limit), ours: median(ours) };
}
