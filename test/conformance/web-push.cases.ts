import { addresses } from './web-push.addresses.js';
import { connections } from './web-push.connections.js';
import { requests } from './web-push.requests.js';

/** Every row of the suite. */
export const cases = { ...requests, ...connections, ...addresses };

export type Row = keyof typeof cases;
