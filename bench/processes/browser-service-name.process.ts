import { promises as dns } from 'node:dns';
import { BROWSER_SERVICE } from '../world/browser-service.js';

/** Leads the name of the browsers' push service to this computer. Preloaded into a worker. */
const lookUp = dns.lookup;
dns.lookup = ((host: string, options: object) =>
  lookUp(host === BROWSER_SERVICE ? '127.0.0.1' : host, options)) as typeof lookUp;
