#!/usr/bin/env bash
# web-push sends any text, however long: from 4,080 bytes on as two records, which RFC 8291 forbids, and over 4,096 bytes in all,
# which services refuse. It also replaces an Urgency among `headers` with `normal`: only the option `urgency` counts.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install web-push@3.6.7
cat >find.mjs <<'JS'
import webPush from 'web-push';
import { seen } from './seen.mjs';
import { contact, subscriptionAt } from './subscription.mjs';

const subscription = subscriptionAt('https://push.example.org/phone');
const vapidDetails = { subject: contact, ...webPush.generateVAPIDKeys() };
const request = (length, options) =>
  webPush.generateRequestDetails(subscription, 'x'.repeat(length), { vapidDetails, ...options });

/** The header of a body has 86 bytes; bytes 16 to 19 are the size of a record. */
const sizes = ({ body }) => [body.length, Math.ceil((body.length - 86) / body.readUInt32BE(16))];
seen('bytes and records of a text of 3,993 bytes', sizes(request(3993)), [4096, 1]);
seen('of 3,994 bytes, one byte too many', sizes(request(3994)), [4097, 1]);
seen('of 4,080 bytes', sizes(request(4080)), [4200, 2]);
seen('the option `urgency: high`', request(1, { urgency: 'high' }).headers.Urgency, 'high');
seen('the header `Urgency: high`', request(1, { headers: { Urgency: 'high' } }).headers.Urgency, 'normal');
JS
node find.mjs
