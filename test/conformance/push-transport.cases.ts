import { answers } from './push-transport.answers.js';
import { outages } from './push-transport.outages.js';
import { streams } from './push-transport.streams.js';

/** Every row of the suite. */
export const cases = { ...answers, ...outages, ...streams };

export type Row = keyof typeof cases;
