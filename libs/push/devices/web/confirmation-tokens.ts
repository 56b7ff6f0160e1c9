import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import { PUSH_KEY_SECRET } from '#push/tokens';

const PURPOSE = 'confirmations of web push';
const TOKEN_BYTES = 24;

/** Makes the tokens that prove that the client of a subscription can read. They are stored sealed. */
@Injectable()
export class ConfirmationTokens {
  readonly #key: Buffer | null;

  constructor(@Inject(PUSH_KEY_SECRET) secret: Buffer | null) {
    this.#key = secret === null ? null : deriveKey(secret, PURPOSE);
  }

  /** Without a secret there is no Web Push, and the other methods throw. */
  get isConfigured(): boolean {
    return this.#key !== null;
  }

  /** A new token, sealed. */
  make(): Buffer {
    return sealText(randomBytes(TOKEN_BYTES).toString('base64url'), this.#secret());
  }

  /** Throws for a token that was sealed with another secret. */
  open(sealed: Uint8Array): string {
    return openSealedText(sealed, this.#secret());
  }

  /** Whether it is the sealed one. One that was sealed with another secret is not. */
  isSame(sealed: Uint8Array, given: string): boolean {
    const opened = this.#openedOf(sealed);
    if (opened === null) return false;
    const [one, other] = [Buffer.from(opened), Buffer.from(given)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  #openedOf(sealed: Uint8Array): string | null {
    try {
      return this.open(sealed);
    } catch {
      return null;
    }
  }

  #secret(): Buffer {
    if (this.#key === null) throw new Error('PUSH_KEY_SECRET is not set');
    return this.#key;
  }
}
