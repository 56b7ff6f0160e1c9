#!/usr/bin/env bash
# A Zulip server removes an event queue that has not been polled for some minutes, and then answers BAD_EVENT_QUEUE_ID, so that the client
# registers a new one. `callOnEachEvent` of zulip-js goes on polling the old queue each second: no event, no error, no line in the log.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install zulip-js@2.1.0
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import zulipInit from 'zulip-js';
import { seen } from './seen.mjs';

let registered = 0;
let isExpired = false;
const refused = [];
const server = createServer((request, response) => {
  const reply = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  request.resume();
  if (pathname === '/api/v1/register') {
    registered += 1;
    reply(200, { result: 'success', msg: '', queue_id: `queue-${registered}`, last_event_id: -1 });
    return;
  }
  const queue = searchParams.get('queue_id');
  if (queue === 'queue-1' && isExpired) {
    refused.push(queue);
    reply(400, { result: 'error', code: 'BAD_EVENT_QUEUE_ID', msg: `Bad event queue ID: ${queue}`, queue_id: queue });
    return;
  }
  isExpired = true;
  reply(200, { result: 'success', msg: '', queue_id: queue, events: [{ id: 0, type: 'heartbeat' }] });
}).listen(0, 'localhost');
await once(server, 'listening');

const log = [];
const print = console.log;
console.log = (...line) => log.push(line);
const realm = `http://localhost:${server.address().port}`;
const zulip = await zulipInit({ realm, username: 'bot@example.org', apiKey: 'a-key' });
const events = [];
zulip.callOnEachEvent((event) => events.push(event.id));
while (refused.length < 5) await once(server, 'request');
console.log = print;
seen('queues registered', registered, 1);
seen('times that the queue is called unknown', refused.length, 5);
seen('events, of which the last was before that', events, [0]);
seen('lines in the log', log.length, 0);
process.exit();
JS
node find.mjs
