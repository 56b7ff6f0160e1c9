import { Injectable } from '@nestjs/common';
import { tokenIdsOf } from '#push/encryption';
import { PushKeys } from './push-keys.js';
import { PushRegistrationRepository } from './push-registration.repository.js';
import type { PushService, RegistrationAnswer, TokenRegistration } from './push-service.js';
import { SealedRegistrations } from './sealed-registrations.js';

/** This installation as its own push service: it has the credentials for Apple and Google, and the tokens. */
@Injectable()
export class DirectPushService implements PushService {
  readonly hasTokens = true;

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
    const { platform } = token;
    const registered = { ...registration, ...token };
    await this.registrations.register(registered);
    const stored = await this.registrations.idsOf(registered);
    return {
      kind: 'registered',
      platform,
      tokenIds: [...tokenIdsOf(platform, token.token), ...stored],
    };
  }
}
