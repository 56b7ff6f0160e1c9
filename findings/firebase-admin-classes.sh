#!/usr/bin/env bash
# firebase-admin copies a message before it rewrites it for Google, but only its plain objects. With options of a class, which its types
# accept, `sendEachForMulticast` rewrites the same object for each phone. It refuses its own text for the TTL from the second phone on.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install firebase-admin@13.10.0
certificate
cat >find.mjs <<'JS'
import { googleAt, serveHttps } from './google.mjs';
import { seen } from './seen.mjs';

const received = [];
const { port } = await serveHttps((_request, text) => {
  received.push(JSON.parse(text).message);
  return { status: 200, body: { name: 'projects/example/messages/1' } };
});
const { messaging } = googleAt(port);
// Over HTTP/1.1, which takes the agent. Messages are copied and rewritten before the transport is chosen.
messaging.enableLegacyHttpTransport();

const tokens = ['first', 'second', 'third'];
async function send(android) {
  received.length = 0;
  const { responses } = await messaging.sendEachForMulticast({ tokens, android });
  return responses.map(({ success, error }) => (success ? 'sent' : error.code));
}

class Call {
  priority = 'high';
  ttl = 30_000;
}
seen('a plain object', await send({ priority: 'high', ttl: 30_000 }), ['sent', 'sent', 'sent']);
const invalid = 'messaging/invalid-payload';
const call = new Call();
seen('an object of a class', await send(call), ['sent', invalid, invalid]);
seen('  its TTL after that', call.ttl, '30s');
seen('  sent again', await send(call), [invalid, invalid, invalid]);
process.exit();
JS
node find.mjs
