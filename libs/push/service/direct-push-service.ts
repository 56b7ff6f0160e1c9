import { Injectable } from '@nestjs/common';
import { type SealedToken, tokenIdOf } from '#push/encryption';
import { PushKeys } from './push-keys.js';
import { PushRegistrationRepository } from './push-registration.repository.js';
import type { PushService, RegistrationAnswer, TokenRegistration } from './push-service.js';
import { SealedRegistrations } from './sealed-registrations.js';

/** This installation as its own push service: it has the credentials for Apple and Google, and the tokens. */
@Injectable()
export class DirectPushService implements PushService {
  constructor(
    private readonly keys: PushKeys,
    private readonly sealed: SealedRegistrations,
    private readonly registrations: PushRegistrationRepository,
  ) {}

  /** Without a push key nothing can be registered, so the secret alone does not make a service. */
  async isReady(): Promise<boolean> {
    return !(await this.keys.isEmpty());
  }

  async register(registration: TokenRegistration): Promise<RegistrationAnswer> {
    const opened = await this.sealed.open(registration);
    if (opened.kind !== 'opened') return opened;
    const { token } = opened;
    await this.registrations.register({ ...registration, ...token });
    return { kind: 'registered', platform: token.platform, tokenIds: tokenIdsOf(token) };
  }
}

/** The older endpoints store tokens of Apple in lower case. */
const tokenIdsOf = ({ platform, token }: SealedToken): Buffer[] =>
  platform === 'apns' ? [tokenIdOf(token), tokenIdOf(token.toLowerCase())] : [tokenIdOf(token)];
