import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a temporary address of a file can be opened. */
const VALID_MS = 60_000;

/** A token by which whoever has it may read one file for 60 seconds. */
export function makeFileToken(attachmentId: number, key: Buffer, now: number): string {
  const claim = `${attachmentId}.${now + VALID_MS}`;
  return `${claim}.${signatureOf(claim, key).toString('base64url')}`;
}

/** The id of the file that a token is for; null when it is not ours or too old. */
export function openFileToken(token: string, key: Buffer, now: number): number | null {
  const [, claim = '', id = '', validUntil = '', signature = ''] =
    /^((\d{1,10})\.(\d{1,15}))\.([\w-]+)$/.exec(token) ?? [];
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(claim, key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return now < Number(validUntil) ? Number(id) : null;
}

const signatureOf = (claim: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(claim).digest();
