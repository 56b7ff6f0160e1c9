/**
 * Prints each event that `callOnEachEvent` of zulip-js gets, as a line of JSON. The loop of the library has no end, so it
 * is a process of its own: `node zulip-js-events.mjs <address> <email> <key>`.
 */
import { argv, stdout } from 'node:process';
import zulip from 'zulip-js';

const [realm, username, apiKey] = argv.slice(2);
const client = await zulip({ realm, username, apiKey });
await client.callOnEachEvent((event) => stdout.write(`${JSON.stringify(event)}\n`), ['message']);
