import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import {
  fromStrictBase64,
  isOutOfTime,
  openSealed,
  parseSealedToken,
  type SealedToken,
  type ServiceKeyPair,
  tokenIdOf,
} from '#push/encryption';
import { PUSH_KEY_SECRET, PushKeys, PushKeyUnreadable } from './push-keys.js';
import type { RegistrationAnswer, TokenRegistration } from './push-service.js';

type Sealed = Omit<TokenRegistration, 'realmId'>;

/** A token that a phone has sealed, or the reason why it cannot be opened. */
type OpenedRegistration =
  | { readonly kind: 'opened'; readonly token: SealedToken }
  | Exclude<RegistrationAnswer, { readonly kind: 'registered' }>;

const refused = (code: string): OpenedRegistration => ({ kind: 'refused', code });

/** Opens the registrations that phones have sealed to a key of this push service. */
@Injectable()
export class SealedRegistrations {
  constructor(
    private readonly keys: PushKeys,
    @Inject(PUSH_KEY_SECRET) private readonly secret: Buffer | null,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Rejects when a store is down. */
  async open({ servicePublicKey, sealed, tokenId }: Sealed): Promise<OpenedRegistration> {
    if (this.secret === null) return { kind: 'retry', reason: 'PUSH_KEY_SECRET is not set' };
    let pair: ServiceKeyPair | null;
    try {
      pair = await this.keys.find(servicePublicKey);
    } catch (error) {
      if (error instanceof PushKeyUnreadable) return { kind: 'retry', reason: error.message };
      throw error;
    }
    if (pair === null) return refused('INVALID_BOUNCER_PUBLIC_KEY');
    const bytes = fromStrictBase64(sealed);
    const plain = bytes === null ? null : openSealed(pair, bytes);
    const token = plain === null ? null : parseSealedToken(plain);
    if (token === null || !tokenIdOf(token.token).equals(tokenId)) {
      return refused('INVALID_ENCRYPTED_PUSH_REGISTRATION');
    }
    return isOutOfTime(token, Math.floor(this.clock() / 1000))
      ? refused('REQUEST_EXPIRED')
      : { kind: 'opened', token };
  }
}
