#!/usr/bin/env bash
# web-push sends TTL and Topic that are given in its option `headers`, and calls that an alternative to its options. It replaces Urgency
# there with its default: a call that should wake a phone goes out as `normal`, and so does a push that may wait.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install web-push@3.6.7
certificate
cat >find.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import webPush from 'web-push';
import { serveHttps } from './provider.mjs';
import { seen } from './seen.mjs';
import { contact, subscriptionAt } from './subscription.mjs';

let received;
const { port } = await serveHttps((request) => {
  const { ttl, topic, urgency } = request.headers;
  received = { ttl, topic, urgency };
  return { status: 201, body: {} };
});
const agent = new Agent({ ca: readFileSync('server.pem') });
const vapidDetails = { subject: contact, ...webPush.generateVAPIDKeys() };
async function send(options) {
  await webPush.sendNotification(subscriptionAt(`https://localhost:${port}/phone`), 'Hello', { agent, vapidDetails, ...options });
  return received;
}

const options = { TTL: 30, topic: 'call', urgency: 'high' };
seen('as options', await send(options), { ttl: '30', topic: 'call', urgency: 'high' });
const headers = { TTL: '30', Topic: 'call', Urgency: 'high' };
seen('as headers', await send({ headers }), { ttl: '30', topic: 'call', urgency: 'normal' });
seen('in small letters', (await send({ headers: { urgency: 'very-low' } })).urgency, 'normal');
process.exit();
JS
node find.mjs
