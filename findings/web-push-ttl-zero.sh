#!/usr/bin/env bash
# A TTL of 0 means "now or never" (RFC 8030, 5.2). One of three builders sends it, the others a minute and a day. The third also
# encrypts with `aesgcm`, the draft before RFC 8188, and signs a token that ends with the TTL: after five seconds with `ttl: 5`.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install web-push@3.6.7 @block65/webcrypto-web-push@2.0.0 @pushforge/builder@2.0.5
cat >find.mjs <<'JS'
import { buildPushPayload } from '@block65/webcrypto-web-push';
import { buildPushHTTPRequest } from '@pushforge/builder';
import webPush from 'web-push';
import { seen } from './seen.mjs';
import { contact, subscriptionAt } from './subscription.mjs';

const subscription = subscriptionAt('https://push.example.org/phone');
const keys = webPush.generateVAPIDKeys();

const own = webPush.generateRequestDetails(subscription, 'Hello', {
  TTL: 0,
  vapidDetails: { subject: contact, ...keys },
});
seen('web-push: TTL', own.headers.TTL, 0);

const block65 = await buildPushPayload({ data: 'Hello', options: { ttl: 0 } }, subscription, { subject: contact, ...keys });
seen('@block65/webcrypto-web-push: TTL', block65.headers.ttl, '60');

const point = Buffer.from(keys.publicKey, 'base64url');
const privateJWK = {
  kty: 'EC',
  crv: 'P-256',
  x: point.subarray(1, 33).toString('base64url'),
  y: point.subarray(33).toString('base64url'),
  d: keys.privateKey,
};
async function forged(ttl) {
  const { headers } = await buildPushHTTPRequest({
    privateJWK,
    subscription,
    message: { payload: 'Hello', options: { ttl }, adminContact: contact },
  });
  return Object.fromEntries(new Headers(headers));
}
const { ttl, 'content-encoding': encoding } = await forged(0);
seen('@pushforge/builder: TTL and encoding', [ttl, encoding], ['86400', 'aesgcm']);
const [, claims] = /t=[\w-]+\.([\w-]+)\./.exec((await forged(5)).authorization);
const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
seen('@pushforge/builder: seconds of the token with a TTL of 5', Math.round((exp - Date.now() / 1000) / 5) * 5, 5);
JS
node find.mjs
