import { Controller, Headers, Inject } from '@nestjs/common';
import { subdomainOfHost } from '#directory/realms';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { fetchApiKey, getBotApiKey, regenerateApiKey } from './api-key.schema.js';
import { BotKeysService } from './bot-keys.service.js';
import { ApiKeysService } from './api-keys.service.js';
import { FIRST_SIGN_IN, type FirstSignIn } from './first-sign-in.js';
import { PasswordSignInService } from './password-sign-in.service.js';
import { EXTERNAL_URL } from './request-authenticator.js';

@Controller()
export class ApiKeyController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly signIn: PasswordSignInService,
    private readonly botKeys: BotKeysService,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
    @Inject(FIRST_SIGN_IN) private readonly firstSignIn: FirstSignIn,
  ) {}

  @Endpoint(regenerateApiKey)
  async regenerate(@SignedIn() caller: Caller) {
    return { api_key: await this.apiKeys.regenerate(caller) };
  }

  @Endpoint(getBotApiKey)
  async ofBot(
    @SignedIn() caller: Caller,
    @Parameters() { bot_id: botId }: ParametersOf<typeof getBotApiKey>,
  ) {
    return { api_key: await this.botKeys.keyOf(caller, botId) };
  }

  @Endpoint(fetchApiKey)
  async fetch(
    // A request of HTTP 1.0 needs no host.
    @Headers('host') host = '',
    @Parameters() { username, password }: ParametersOf<typeof fetchApiKey>,
  ) {
    const subdomain = subdomainOfHost(host, this.externalUrl);
    const signedIn = await this.signIn.fetch(subdomain, username, password);
    if (signedIn.isFirst) await this.firstSignIn.record(signedIn);
    const { apiKey, deliveryEmail, userId } = signedIn;
    return { api_key: apiKey, email: deliveryEmail, user_id: userId };
  }
}
