import { randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { decryptPayload, makePushKey, sealTo, tokenIdOf } from '#push/encryption';
import { DEMO_APP_ID } from '../credentials/apns-certificates.js';
import { jsonOrText } from '../provider/http-messages.js';
import type { AppPlatform } from '../provider/platform.js';
import { fieldsOf } from './delivery.js';

const MAX_PHONES = 10_000;

/** A phone whose app registers for encrypted notifications. */
export interface NewPhone {
  readonly platform: AppPlatform;
  /** Of the push service, in base64. */
  readonly public_key: string;
  /** A known token: its app registers again, and has only the new key from then on. A new token by default. */
  readonly token?: string | undefined;
}

/** Phones that the sandbox plays: it makes their keys, and decrypts their payloads. */
@Injectable()
export class EncryptedPhones {
  /** The push keys by their ids. */
  readonly #keys = new LRUCache<string, Buffer>({ max: MAX_PHONES });
  /** The ids of the push keys by tokens. */
  readonly #keyIds = new LRUCache<string, string>({ max: MAX_PHONES });

  /** A new phone: its token, and the parameters with which its app registers at a server. */
  add({ platform, public_key: publicKey, token = newToken(platform) }: NewPhone) {
    const pushKey = makePushKey();
    const keyId = randomInt(2 ** 32);
    const earlier = this.#keyIds.get(token);
    if (earlier !== undefined) this.#keys.delete(earlier);
    this.#keyIds.set(token, String(keyId));
    this.#keys.set(String(keyId), pushKey);
    const registration = {
      token,
      token_kind: platform,
      timestamp: Math.floor(Date.now() / 1000),
      ...(platform === 'apns' && { ios_app_id: DEMO_APP_ID }),
    };
    const sealed = sealTo(
      Buffer.from(publicKey, 'base64'),
      Buffer.from(JSON.stringify(registration)),
    );
    return {
      token,
      registration: {
        push_key: pushKey.toString('base64'),
        push_key_id: keyId,
        token_kind: platform,
        token_id: tokenIdOf(token).toString('base64'),
        bouncer_public_key: publicKey,
        encrypted_push_registration: sealed.toString('base64'),
      },
    };
  }

  /** The decrypted content of a payload; null if it is not encrypted for a phone of the sandbox. */
  read(payload: unknown): unknown {
    const body = fieldsOf(payload);
    const data = 'encrypted_data' in body ? body : fieldsOf(fieldsOf(body['message'])['data']);
    const key = this.#keys.get(String(data['push_key_id']));
    if (key === undefined) return null;
    const plain = decryptPayload(key, String(data['encrypted_data']));
    return plain === null ? null : jsonOrText(plain);
  }
}

const newToken = (platform: AppPlatform): string =>
  platform === 'apns' ? randomBytes(32).toString('hex') : randomBytes(96).toString('base64url');
