import { Inject, Injectable } from '@nestjs/common';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import { PUSH_KEY_SECRET } from '#push/tokens';

const PURPOSE = 'push keys of devices';

/** Encrypts the push keys of devices for the database. */
@Injectable()
export class DeviceKeys {
  readonly #key: Buffer | null;

  constructor(@Inject(PUSH_KEY_SECRET) secret: Buffer | null) {
    this.#key = secret === null ? null : deriveKey(secret, PURPOSE);
  }

  /** Without a secret there are no encrypted notifications, and the other methods throw. */
  get isConfigured(): boolean {
    return this.#key !== null;
  }

  seal(pushKey: Buffer): Buffer {
    return sealText(pushKey.toString('base64'), this.#secret());
  }

  /** Throws for a key that was sealed with another secret, and for changed bytes. */
  open(sealed: Uint8Array): Buffer {
    return Buffer.from(openSealedText(sealed, this.#secret()), 'base64');
  }

  #secret(): Buffer {
    if (this.#key === null) throw new Error('PUSH_KEY_SECRET is not set');
    return this.#key;
  }
}
