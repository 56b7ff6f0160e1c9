#!/usr/bin/env bash
# @parse/node-apn signs a new provider token for each of three quick repetitions when Apple calls its token expired, as it does while
# the clock is wrong. Apple allows one new token in 20 minutes, and refuses the connection after more.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install @parse/node-apn@8.1.0
certificate
cat >find.mjs <<'JS'
import apn from '@parse/node-apn';
import { iphone, nodeApnAt, respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

const tokens = new Set();
let requests = 0;
const { port } = await serveHttp2((stream, headers) => {
  requests += 1;
  tokens.add(headers.authorization);
  respond(stream, 403, { reason: 'ExpiredProviderToken' });
});
const provider = new apn.Provider(nodeApnAt(port));
await provider.send(new apn.Notification({ topic: 'org.example.app', alert: 'Hello' }), iphone());
seen('requests for one push', requests, 4);
seen('different provider tokens', tokens.size, 4);
process.exit();
JS
node find.mjs
