#!/usr/bin/env bash
# Apple announces the end of a connection, and still answers the pushes on it: HTTP/2 says so with the last stream in GOAWAY. Both
# clients report these pushes as failed. Who repeats them shows each notification twice.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install @parse/node-apn@8.1.0 apns2@12.2.0 undici@7.30.0
certificate
cat >find.mjs <<'JS'
import apn from '@parse/node-apn';
import { Notification } from 'apns2';
import { apns2At, iphone, nodeApnAt, respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

const PUSHES = 6;
const tokens = Array.from({ length: PUSHES }, (_, number) => iphone(number + 1));

/** Answers all pushes with 200 after a while, but says before that the connection ends after them. */
async function serveEnding(delayMs) {
  const open = [];
  const { port } = await serveHttp2((stream) => {
    open.push(stream);
    if (open.length < PUSHES) return;
    for (const session of new Set(open.map((one) => one.session))) session.goaway(0, 2 ** 31 - 1);
    setTimeout(() => {
      for (const one of open.filter(({ closed }) => !closed)) respond(one, 200);
    }, delayMs);
  });
  return { port, open };
}

const first = await serveEnding(200);
const provider = new apn.Provider(nodeApnAt(first.port));
const note = new apn.Notification({ topic: 'org.example.app', alert: 'Hello' });
const { sent, failed } = await provider.send(note, tokens);
seen('@parse/node-apn: accepted by the server, and reported as failed', [first.open.length, failed.length], [PUSHES, PUSHES]);
seen('@parse/node-apn: reported as sent', sent.length, 0);

const second = await serveEnding(0);
const client = await apns2At(second.port);
const results = await client.sendMany(tokens.map((token) => new Notification(token, { alert: 'Hello' })));
seen(
  'apns2: accepted by the server, and reported as failed',
  [second.open.length, results.filter((one) => 'error' in one).length],
  [PUSHES, PUSHES],
);
console.log(`${failed[0]?.error}; ${results[0]?.error}`);
process.exit();
JS
node find.mjs
