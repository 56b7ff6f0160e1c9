#!/usr/bin/env bash
# firebase-admin writes `https:` with a colon as the scheme of its requests over HTTP/2. Google takes it. A server that checks
# the scheme by the standard, such as that of Node, refuses the request.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install firebase-admin@13.10.0
certificate
cat >find.mjs <<'JS'
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { googleAt } from './google.mjs';
import { respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

let requests = 0;
const { port } = await serveHttp2((stream) => {
  requests += 1;
  respond(stream, 200, { name: 'projects/example/messages/1' });
});
const builtin = createRequire(import.meta.url)('node:http2');
const { connect } = http2;
let scheme;
let isCorrected = false;
builtin.connect = (_authority, options) => {
  const session = connect(`https://localhost:${port}`, { ...options, ca: readFileSync('server.pem') });
  const request = session.request.bind(session);
  session.request = (headers, more) => {
    scheme = headers[':scheme'];
    return request(isCorrected ? { ...headers, ':scheme': 'https' } : headers, more);
  };
  return session;
};
const { messaging } = googleAt(port);
const send = async () => (await messaging.sendEach([{ token: 'a-token' }])).successCount;
// The SDK repeats it for more than a minute.
const refused = await Promise.race([send().catch(() => 0), delay(5000, 0)]);
seen('the scheme', scheme, 'https:');
seen('accepted by a server of Node', [refused, requests], [0, 0]);
isCorrected = true;
seen('accepted with the scheme https', await send(), 1);
process.exit();
JS
node find.mjs
