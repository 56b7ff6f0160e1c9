import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '#platform/database';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import {
  fromStrictBase64,
  isPair,
  makeServiceKeyPair,
  type ServiceKeyPair,
} from '#push/encryption';
import { PushKeyRepository } from './push-key.repository.js';

/** DI token: the secret that encrypts private keys and the keys of devices; null without encrypted notifications. */
export const PUSH_KEY_SECRET = Symbol('PushKeySecret');

const PURPOSE = 'private keys of the push service';

/** A public key of the push service, which apps contain. */
export interface PushKey {
  /** In base64. */
  readonly publicKey: string;
  readonly createdAt: Date;
}

/** The private key was encrypted with another secret, or its row was changed. */
export class PushKeyUnreadable extends Error {
  override readonly name = 'PushKeyUnreadable';

  constructor(publicKey: string, cause?: unknown) {
    super(`The private key of ${publicKey} cannot be opened with this PUSH_KEY_SECRET.`, { cause });
  }
}

/** The key pairs of the push service. Several are valid at once, because old versions of an app keep their key. */
@Injectable()
export class PushKeys {
  constructor(
    private readonly keys: PushKeyRepository,
    @Inject(PUSH_KEY_SECRET) private readonly secret: Buffer | null,
  ) {}

  /** The newest first. */
  async list(): Promise<PushKey[]> {
    const stored = await this.keys.list();
    return stored.map(({ publicKey, createdAt }) => ({
      publicKey: publicKey.toString('base64'),
      createdAt,
    }));
  }

  /** Whether no key exists. Without a key no app can register. */
  isEmpty(): Promise<boolean> {
    return this.keys.isEmpty();
  }

  /** Makes a key pair, and resolves with the public key in base64. Rejects without a secret. */
  async add(session?: Session): Promise<string> {
    const { publicKey, privateKey } = makeServiceKeyPair();
    const sealed = sealText(privateKey.toString('base64'), this.#sealingKey());
    await this.keys.add(publicKey, sealed, session);
    return publicKey.toString('base64');
  }

  /** False for an unknown key. Phones that seal to a removed key cannot register any more; registered ones go on. */
  async remove(publicKey: string, session: Session): Promise<boolean> {
    const bytes = fromStrictBase64(publicKey);
    return bytes !== null && (await this.keys.remove(bytes, session));
  }

  /** The pair of a public key in base64; null for a key that is not of this service. Rejects with PushKeyUnreadable. */
  async find(publicKey: string): Promise<ServiceKeyPair | null> {
    const bytes = fromStrictBase64(publicKey);
    const stored = bytes === null ? null : await this.keys.find(bytes);
    if (stored === null) return null;
    const pair = { publicKey: stored.publicKey, privateKey: this.#open(publicKey, stored.sealed) };
    if (!isPair(pair)) throw new PushKeyUnreadable(publicKey);
    return pair;
  }

  #open(publicKey: string, sealed: Buffer): Buffer {
    try {
      return Buffer.from(openSealedText(sealed, this.#sealingKey()), 'base64');
    } catch (error) {
      throw new PushKeyUnreadable(publicKey, error);
    }
  }

  #sealingKey(): Buffer {
    if (this.secret === null) throw new Error('PUSH_KEY_SECRET is not set');
    return deriveKey(this.secret, PURPOSE);
  }
}
