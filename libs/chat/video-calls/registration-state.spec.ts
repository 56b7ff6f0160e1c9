import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  codeVerifierOf,
  newRegistration,
  signRegistration,
  verifyRegistration,
} from './registration-state.js';

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const key = randomBytes(32);
const registration = newRegistration(7, 'webex');

describe(verifyRegistration.name, () => {
  const verifyAt = async (now: number) =>
    verifyRegistration(await signRegistration(registration, key, NOW), 'webex', { key, now });

  it('accepts a state for ten minutes', async () => {
    expect(await verifyAt(NOW)).toEqual(registration);
    expect(await verifyAt(NOW + 10 * MINUTE - 1000)).toEqual(registration);
    expect(await verifyAt(NOW + 10 * MINUTE)).toBeNull();
  });

  it('rejects another provider, another key and an invalid text', async () => {
    const state = await signRegistration(registration, key, NOW);
    expect(await verifyRegistration(state, 'zoom', { key, now: NOW })).toBeNull();
    const other = { key: randomBytes(32), now: NOW };
    expect(await verifyRegistration(state, 'webex', other)).toBeNull();
    expect(await verifyRegistration('', 'webex', { key, now: NOW })).toBeNull();
  });
});

describe(newRegistration.name, () => {
  it('creates unique ids', () => {
    const ids = Array.from({ length: 100 }, () => newRegistration(7, 'webex').id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe(codeVerifierOf.name, () => {
  it('has 43 characters and depends only on registration and key', () => {
    const verifier = codeVerifierOf(registration, key);
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(codeVerifierOf(registration, key)).toBe(verifier);
    expect(codeVerifierOf(newRegistration(7, 'webex'), key)).not.toBe(verifier);
    expect(codeVerifierOf(registration, randomBytes(32))).not.toBe(verifier);
  });
});
