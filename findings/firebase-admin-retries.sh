#!/usr/bin/env bash
# firebase-admin repeats a message that Google answered with 503, four times, and one that was answered with 429 not at all, even if
# the answer names a second to wait. A wait of more than a minute ends the repetitions of 503 too.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install firebase-admin@13.10.0
certificate
cat >find.mjs <<'JS'
import { googleAt, serveHttps } from './google.mjs';
import { seen } from './seen.mjs';

async function requestsFor(status, retryAfter) {
  let requests = 0;
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const body = { error: { code: status, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE', message: 'Later.' } };
  const { port } = await serveHttps(() => {
    requests += 1;
    return { status, headers, body };
  });
  await googleAt(port).messaging.send({ token: 'a-token' }).catch(() => undefined);
  return requests;
}
seen('requests for 503', await requestsFor(503), 5);
seen('requests for 503 with Retry-After: 90', await requestsFor(503, '90'), 1);
seen('requests for 429 with Retry-After: 1', await requestsFor(429, '1'), 1);
process.exit();
JS
node find.mjs
