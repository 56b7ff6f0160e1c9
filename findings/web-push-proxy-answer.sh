#!/usr/bin/env bash
# web-push gives the answer of a proxy that opens no tunnel as the answer of the push service: an error with the status, the page
# and the endpoint of the phone. A server that removes subscriptions after 404 and 410 removes one for the page of a proxy.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install web-push@3.6.7
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import webPush from 'web-push';
import { seen } from './seen.mjs';
import { contact, subscriptionAt } from './subscription.mjs';

const endpoint = 'https://push.example.org/phone';
const vapidDetails = { subject: contact, ...webPush.generateVAPIDKeys() };

for (const status of [404, 410, 503]) {
  const page = 'A page of the proxy';
  const proxy = createServer().on('connect', (_request, socket) => {
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${page.length}\r\n\r\n${page}`);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const error = await webPush
    .sendNotification(subscriptionAt(endpoint), 'Hello', {
      vapidDetails,
      proxy: `http://127.0.0.1:${proxy.address().port}`,
    })
    .catch((reason) => reason);
  const { name, statusCode, body } = error;
  seen(`the proxy answers ${status}`, [name, statusCode, body, error.endpoint], ['WebPushError', status, page, endpoint]);
  proxy.close();
}
JS
node find.mjs
