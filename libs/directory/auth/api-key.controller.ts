import { Controller, Headers, Inject } from '@nestjs/common';
import { subdomainOfHost } from '#directory/realms';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { fetchApiKey, regenerateApiKey } from './api-key.schema.js';
import { ApiKeysService } from './api-keys.service.js';
import { PasswordSignInService } from './password-sign-in.service.js';
import { EXTERNAL_URL } from './request-authenticator.js';

@Controller()
export class ApiKeyController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly signIn: PasswordSignInService,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  @Endpoint(regenerateApiKey)
  async regenerate(@SignedIn() caller: Caller) {
    return { api_key: await this.apiKeys.regenerate(caller) };
  }

  @Endpoint(fetchApiKey)
  async fetch(
    // A request of HTTP 1.0 needs no host.
    @Headers('host') host = '',
    @Parameters() { username, password }: ParametersOf<typeof fetchApiKey>,
  ) {
    const subdomain = subdomainOfHost(host, this.externalUrl);
    const { apiKey, deliveryEmail, userId } = await this.signIn.fetch(
      subdomain,
      username,
      password,
    );
    return { api_key: apiKey, email: deliveryEmail, user_id: userId };
  }
}
