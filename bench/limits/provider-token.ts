import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ApnsAccess } from './apns-access.js';

/** A provider token for APNs: a JWT that is valid for an hour, longer than any run. `now` is in UNIX seconds. */
export function providerToken({ keyFile, keyId, teamId }: ApnsAccess, now: number): string {
  const parts = [
    { alg: 'ES256', kid: keyId },
    { iss: teamId, iat: now },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(parts.join('.')), {
    key: readFileSync(keyFile),
    dsaEncoding: 'ieee-p1363',
  });
  return [...parts, signature.toString('base64url')].join('.');
}
