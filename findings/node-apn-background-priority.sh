#!/usr/bin/env bash
# @parse/node-apn sends a background push with priority 10 if none is set. Apple documents 5 for these pushes, and calls 10 an error.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install @parse/node-apn@8.1.0
certificate
cat >find.mjs <<'JS'
import apn from '@parse/node-apn';
import { iphone, nodeApnAt, respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

let sent = {};
const { port } = await serveHttp2((stream, headers) => {
  sent = headers;
  respond(stream, 200);
});
const provider = new apn.Provider(nodeApnAt(port));
const note = new apn.Notification({ topic: 'org.example.app', contentAvailable: 1, pushType: 'background' });
await provider.send(note, iphone());
seen('apns-push-type', sent['apns-push-type'], 'background');
seen('apns-priority', sent['apns-priority'], '10');
seen('apns-expiration', sent['apns-expiration'] ?? null, null);
process.exit();
JS
node find.mjs
