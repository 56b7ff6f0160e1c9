import { Inject, Injectable } from '@nestjs/common';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import type { PreparedContent } from '#push/providers';
import { PUSH_KEY_SECRET } from '#push/tokens';
import type { TenantContent } from './notify.rules.js';

const PURPOSE = 'notifications of remote servers';

/** Encrypts the contents of notifications for the database, where they are until they are sent. */
@Injectable()
export class TenantContentSealer {
  readonly #key: Buffer | null;

  constructor(@Inject(PUSH_KEY_SECRET) secret: Buffer | null) {
    this.#key = secret === null ? null : deriveKey(secret, PURPOSE);
  }

  /** Throws without a secret. */
  seal(content: TenantContent): Buffer {
    return sealText(JSON.stringify(content), this.#secret());
  }

  /** Throws for a content that was sealed with another secret. */
  open(sealed: Uint8Array): PreparedContent {
    // Only `seal` makes these texts.
    const content = JSON.parse(openSealedText(sealed, this.#secret())) as TenantContent;
    return { kind: 'prepared', ...content };
  }

  #secret(): Buffer {
    if (this.#key === null) throw new Error('PUSH_KEY_SECRET is not set');
    return this.#key;
  }
}
