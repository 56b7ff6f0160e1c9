#!/usr/bin/env bash
# @parse/node-apn repeats a push that Apple answered with 429 at once and three times, although the answer names a time to wait.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install @parse/node-apn@8.1.0
certificate
cat >find.mjs <<'JS'
import apn from '@parse/node-apn';
import { iphone, nodeApnAt, respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

const WAIT_SECONDS = 5;
const times = [];
const { port } = await serveHttp2((stream) => {
  times.push(Date.now());
  respond(stream, 429, { reason: 'TooManyRequests' }, { 'retry-after': String(WAIT_SECONDS) });
});
const provider = new apn.Provider(nodeApnAt(port));
const note = new apn.Notification({ topic: 'org.example.app', alert: 'Hello' });
const { failed } = await provider.send(note, iphone());
seen('requests for one push', times.length, 4);
seen('any of them after the named time', times.some((at, n) => n > 0 && at - times[n - 1] >= WAIT_SECONDS * 1000), false);
seen('the named time in the result', JSON.stringify(failed).includes('etry'), false);
process.exit();
JS
node find.mjs
