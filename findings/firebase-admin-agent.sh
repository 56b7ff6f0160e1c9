#!/usr/bin/env bash
# firebase-admin uses its option `httpAgent` for `send`, and not for `sendEach`: that opens a connection of its own for each call, to
# Google directly. Behind a proxy the one arrives and the other does not.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install firebase-admin@13.10.0
certificate
cat >find.mjs <<'JS'
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { googleAt, serveHttps } from './google.mjs';
import { seen } from './seen.mjs';

// Nothing leaves this computer: the connections of HTTP/2 are counted and fail.
const builtin = createRequire(import.meta.url)('node:http2');
const { connect } = http2;
const opened = [];
builtin.connect = (authority, options) => {
  opened.push(String(authority));
  return connect('https://localhost:9', options);
};
const { port } = await serveHttps(() => ({ status: 200, body: { name: 'projects/example/messages/1' } }));
const { messaging, used } = googleAt(port);
await messaging.send({ token: 'a-token' });
seen('connections of the agent after send', used.count, 1);
seen('other connections', opened, []);
for (let call = 0; call < 3; call += 1) await messaging.sendEach([{ token: 'a-token' }]).catch(() => undefined);
seen('connections of the agent after three calls of sendEach', used.count, 1);
seen('other connections', opened, Array(3).fill('https://fcm.googleapis.com'));
process.exit();
JS
node find.mjs
