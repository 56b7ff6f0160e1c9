import { Injectable } from '@nestjs/common';
import type { PushService, RegistrationAnswer, TokenRegistration } from '#push/tokens';
import { PushServiceClient } from './push-service-client.js';
import { RelayIdentityRepository } from './relay-identity.repository.js';
import { RealmUploads } from './realms/realm-uploads.js';
import { faultText, isTemporary, meaningOf, MISSING_REALM } from './service-answer.rules.js';

/** The push service of another server: it has the tokens, and this server only knows their ids. */
@Injectable()
export class RelayPushService implements PushService {
  readonly hasTokens = false;

  constructor(
    private readonly client: PushServiceClient,
    private readonly identities: RelayIdentityRepository,
    private readonly uploads: RealmUploads,
  ) {}

  /** Always true: the service has the keys, and its answer to a registration shows whether they work. */
  isReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async register(registration: TokenRegistration): Promise<RegistrationAnswer> {
    const { uuid } = await this.identities.realm(registration.realmId);
    const answer = await this.client.postForm('/push/e2ee/register', {
      realm_uuid: uuid,
      token_id: registration.tokenId.toString('base64'),
      encrypted_push_registration: registration.sealed,
      bouncer_public_key: registration.servicePublicKey,
    });
    if (answer.kind === 'ok') {
      return { kind: 'registered', platform: null, tokenIds: [registration.tokenId] };
    }
    if (answer.kind === 'refused') {
      const { isOfRegistration, isOfRealm } = meaningOf(answer.code);
      if (isOfRegistration === true) return { kind: 'refused', code: answer.code };
      if (answer.code === MISSING_REALM) await this.uploads.requestUpload();
      if (!isTemporary(answer) && isOfRealm !== true) {
        return { kind: 'refused', code: 'BAD_REQUEST' };
      }
    }
    const retryAfterMs = 'retryAfterMs' in answer ? answer.retryAfterMs : null;
    return { kind: 'retry', reason: faultText(answer), retryAfterMs };
  }
}
