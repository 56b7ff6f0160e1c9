import { answers } from './push-transport.answers.js';
import { outages } from './push-transport.outages.js';
import { streams } from './push-transport.streams.js';

/** Every row of the suite. */
export const cases = { ...answers, ...outages, ...streams };

export type Row = keyof typeof cases;

/** What every driver is asked in each run; the libraries' drivers are asked the rest in a long run. */
export const basicRows: ReadonlySet<string> = new Set(Object.keys(answers));

/** What takes long for every driver, and is asked in a long run. */
export const longRows: ReadonlySet<string> = new Set<Row>([
  'sends 20,000 pushes through few connections',
]);
