import { Controller, Inject } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf } from '#platform/http';
import { REDIS, type Redis } from '#platform/redis';
import { relayErrors } from '../relay.errors.js';
import { readVerificationSecret } from './relay-registration.schema.js';
import { TransferSecrets } from './transfer-secrets.js';

@Controller()
export class RelayRegistrationController {
  readonly #secrets: TransferSecrets;

  constructor(@Inject(REDIS) redis: Redis) {
    this.#secrets = new TransferSecrets(redis);
  }

  @Endpoint(readVerificationSecret)
  async read(@Parameters() { access_token }: ParametersOf<typeof readVerificationSecret>) {
    const secret = await this.#secrets.get(access_token.replace(/\/$/, ''));
    if (secret === null) throw new ApiError(relayErrors.secretNotPrepared);
    return { verification_secret: secret };
  }
}
