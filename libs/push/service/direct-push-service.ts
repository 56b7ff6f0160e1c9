import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '#platform/core';
import {
  fromStrictBase64,
  isOutOfTime,
  openSealed,
  parseSealedToken,
  type SealedToken,
  tokenIdOf,
} from '#push/encryption';
import { PUSH_KEY_SECRET, PushKeys, PushKeyUnreadable } from './push-keys.js';
import { PushRegistrationRepository } from './push-registration.repository.js';
import type { PushService, RegistrationAnswer, TokenRegistration } from './push-service.js';

const refused = (code: string): RegistrationAnswer => ({ kind: 'refused', code });

/** This installation as its own push service: it has the credentials for Apple and Google, and the tokens. */
@Injectable()
export class DirectPushService implements PushService {
  constructor(
    private readonly keys: PushKeys,
    private readonly registrations: PushRegistrationRepository,
    @Inject(PUSH_KEY_SECRET) private readonly secret: Buffer | null,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async register(registration: TokenRegistration): Promise<RegistrationAnswer> {
    if (this.secret === null) return { kind: 'again', reason: 'PUSH_KEY_SECRET is not set' };
    let pair;
    try {
      pair = await this.keys.find(registration.servicePublicKey);
    } catch (error) {
      if (error instanceof PushKeyUnreadable) return { kind: 'again', reason: error.message };
      throw error;
    }
    if (pair === null) return refused('INVALID_BOUNCER_PUBLIC_KEY');
    const bytes = fromStrictBase64(registration.sealed);
    const plain = bytes === null ? null : openSealed(pair, bytes);
    const sealed = plain === null ? null : parseSealedToken(plain);
    if (sealed === null || !tokenIdOf(sealed.token).equals(registration.tokenId)) {
      return refused('INVALID_ENCRYPTED_PUSH_REGISTRATION');
    }
    if (isOutOfTime(sealed, Math.floor(this.clock() / 1000))) return refused('REQUEST_EXPIRED');
    await this.registrations.register({ ...registration, ...sealed });
    return { kind: 'registered', platform: sealed.platform, tokenIds: tokenIdsOf(sealed) };
  }
}

/** The older endpoints store tokens of Apple in lower case. */
const tokenIdsOf = ({ platform, token }: SealedToken): Buffer[] =>
  platform === 'apns' ? [tokenIdOf(token), tokenIdOf(token.toLowerCase())] : [tokenIdOf(token)];
