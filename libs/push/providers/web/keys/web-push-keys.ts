import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import type { Session } from '#platform/database';
import { PUSH_KEY_SECRET } from '#push/tokens';
import { isPoint } from '../message-encryption.js';
import { makeVapidKeyPair, privateKeyOf, type VapidKey } from '../vapid-key.js';
import { WebPushKeyRepository } from './web-push-key.repository.js';

const PURPOSE = 'private keys of web push';
const BASE64URL = /^[\w-]+={0,2}$/;
const MAX_OPEN_KEYS = 20;

/** A public key that subscriptions are made with. */
export interface WebPushKey {
  readonly id: number;
  /** 65 bytes in base64url, as browsers take it. */
  readonly publicKey: string;
  readonly createdAt: Date;
}

/** The private key was encrypted with another secret, or its row was changed. */
export class WebPushKeyUnreadable extends Error {
  override readonly name = 'WebPushKeyUnreadable';

  constructor(publicKey: string, cause?: unknown) {
    super(
      `The private key of ${publicKey} for web push cannot be opened with this PUSH_KEY_SECRET.`,
      { cause },
    );
  }
}

/**
 * The VAPID keys. New subscriptions are made with the newest one; an older one stays for its subscriptions, which take no other.
 * No key is made without an operator: a lost one makes every subscription useless.
 */
@Injectable()
export class WebPushKeys {
  /** A row of a key never changes. */
  readonly #open = new LRUCache<number, VapidKey>({ max: MAX_OPEN_KEYS });

  constructor(
    private readonly keys: WebPushKeyRepository,
    @Inject(PUSH_KEY_SECRET) private readonly secret: Buffer | null,
  ) {}

  /** The newest first. */
  async list(): Promise<WebPushKey[]> {
    const stored = await this.keys.list();
    return stored.map(({ id, publicKey, createdAt }) => ({
      id,
      publicKey: publicKey.toString('base64url'),
      createdAt,
    }));
  }

  /** The key for new subscriptions; null without one. */
  async current(session?: Session): Promise<Pick<WebPushKey, 'id' | 'publicKey'> | null> {
    const newest = await this.keys.findNewest(session);
    return newest && { id: newest.id, publicKey: newest.publicKey.toString('base64url') };
  }

  /** The id of a public key in base64url, with or without padding; null for a key that is not of this server. */
  async idOf(publicKey: string): Promise<number | null> {
    const bytes = pointIn(publicKey);
    return bytes && this.keys.findId(bytes);
  }

  /** The key pair with this id; null for an unknown one. Rejects with WebPushKeyUnreadable. */
  async pairOf(id: number): Promise<VapidKey | null> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const stored = await this.keys.find(id);
    if (stored === null) return null;
    const publicKey = stored.publicKey.toString('base64url');
    const pair = { id, publicKey, privateKey: this.#unseal(publicKey, stored) };
    this.#open.set(id, pair);
    return pair;
  }

  /** Rejects with WebPushKeyUnreadable if a stored key cannot be opened: every push with it would fail. */
  async assertReadable(): Promise<void> {
    for (const { id } of await this.keys.list()) await this.pairOf(id);
  }

  /** Makes a key pair, and resolves with the public key. Rejects without a secret. */
  async add(session?: Session): Promise<string> {
    const { publicKey, privateKey } = makeVapidKeyPair();
    await this.keys.add(publicKey, sealText(privateKey, this.#sealingKey()), session);
    return publicKey.toString('base64url');
  }

  /** False for an unknown key. Subscriptions that were made with it get no more notifications. */
  async remove(publicKey: string, session: Session): Promise<boolean> {
    const bytes = pointIn(publicKey);
    return bytes !== null && (await this.keys.remove(bytes, session));
  }

  #unseal(publicKey: string, stored: { readonly publicKey: Buffer; readonly sealed: Buffer }) {
    try {
      return privateKeyOf(openSealedText(stored.sealed, this.#sealingKey()), stored.publicKey);
    } catch (error) {
      throw new WebPushKeyUnreadable(publicKey, error);
    }
  }

  #sealingKey(): Buffer {
    if (this.secret === null) throw new Error('PUSH_KEY_SECRET is not set');
    return deriveKey(this.secret, PURPOSE);
  }
}

/** The point that a text is; null for any other text. */
function pointIn(text: string): Buffer | null {
  const bytes = BASE64URL.test(text) ? Buffer.from(text, 'base64url') : Buffer.of();
  return isPoint(bytes) ? bytes : null;
}
