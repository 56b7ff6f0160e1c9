import { describe, expect, it } from '@jest/globals';
import {
  encryptPayload,
  makePushKey,
  makeServiceKeyPair,
  openSealed,
  parseSealedToken,
  tokenIdOf,
} from '#push/encryption';
import { EncryptedPhones } from './encrypted-phones.js';

const service = makeServiceKeyPair();
const publicKey = service.publicKey.toString('base64');

describe(EncryptedPhones.name, () => {
  it.each(['apns', 'fcm'] as const)('seals the token of a phone of %s', (platform) => {
    const { token, registration } = new EncryptedPhones().add({ platform, public_key: publicKey });
    const sealed = Buffer.from(registration.encrypted_push_registration, 'base64');
    const plain = openSealed(service, sealed) ?? Buffer.alloc(0);
    expect(parseSealedToken(plain)).toMatchObject({ platform, token });
    expect(registration.token_id).toBe(tokenIdOf(token).toString('base64'));
  });

  it('reads with the newest key of a token only', () => {
    const sut = new EncryptedPhones();
    const first = sut.add({ platform: 'fcm', public_key: publicKey });
    const second = sut.add({ platform: 'fcm', public_key: publicKey, token: first.token });
    const read = ({ registration }: typeof first) =>
      sut.read({
        push_key_id: registration.push_key_id,
        encrypted_data: encryptPayload(Buffer.from(registration.push_key, 'base64'), '"Hi"'),
      });
    expect(second.token).toBe(first.token);
    expect([read(first), read(second)]).toEqual([null, 'Hi']);
  });

  it('reads what is encrypted for its phones', () => {
    const sut = new EncryptedPhones();
    const { registration } = sut.add({ platform: 'fcm', public_key: publicKey });
    const pushKey = Buffer.from(registration.push_key, 'base64');
    const keyId = registration.push_key_id;
    const encrypted = (key: Buffer, id: unknown) => ({
      push_key_id: id,
      encrypted_data: encryptPayload(key, '{"type":"test"}'),
    });
    expect(sut.read(encrypted(pushKey, keyId))).toEqual({ type: 'test' });
    expect(sut.read({ message: { data: encrypted(pushKey, String(keyId)) } })).toEqual({
      type: 'test',
    });
    expect(sut.read(encrypted(makePushKey(), keyId))).toBeNull();
    expect(sut.read(encrypted(pushKey, keyId + 1))).toBeNull();
    expect(sut.read({ aps: {} })).toBeNull();
    expect(sut.read('text')).toBeNull();
  });
});
