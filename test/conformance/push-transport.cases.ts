import { answers } from './push-transport.answers.js';
import { outages } from './push-transport.outages.js';
import { proxies } from './push-transport.proxies.js';
import { streams } from './push-transport.streams.js';

/** Every row of the suite. */
export const cases = { ...answers, ...proxies, ...outages, ...streams };

export type Row = keyof typeof cases;

/** The cases of all drivers in a short run; a long run has all cases. */
export const basicRows: ReadonlySet<string> = new Set(Object.keys({ ...answers, ...proxies }));

/** Cases that are slow for every driver; only a long run has them. */
export const longRows: ReadonlySet<string> = new Set<Row>([
  'sends 20,000 pushes through few connections',
]);
