import { jest } from '@jest/globals';
import { readTestStoresConfig } from '#config';

/** Whether this is `npm run test:chaos`; `npm test` makes a short run of everything random. */
export const isLongRun = readTestStoresConfig().isLong;

/**
 * What random choices are made from: the same in each `npm test`, another one in each `npm run test:chaos`;
 * `--seed=<number>` makes the same choices again.
 */
export const chaosSeed = jest.getSeed();
