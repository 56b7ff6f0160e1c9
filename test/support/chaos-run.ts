import { jest } from '@jest/globals';
import { readTestStoresConfig } from '#platform/config';

/** Whether this is a long run, `npm run test:chaos`; `npm test` makes short runs of the random tests. */
export const isLongRun = readTestStoresConfig().isLong;

/** The seed of random choices: fixed in `npm test`, random in `npm run test:chaos`, or set by `--seed=<number>`. */
export const chaosSeed = jest.getSeed();
