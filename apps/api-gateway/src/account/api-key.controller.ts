import { Controller, Headers, Inject } from '@nestjs/common';
import type { Caller } from '#contracts';
import { EXTERNAL_URL, FetchApiKey, RegenerateApiKey } from '#auth';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { subdomainOfHost } from '#realms';
import { fetchApiKey, regenerateApiKey } from './api-key.schema.js';

@Controller()
export class ApiKeyController {
  constructor(
    private readonly regenerateKey: RegenerateApiKey,
    private readonly fetchKey: FetchApiKey,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  @Endpoint(regenerateApiKey)
  async regenerate(@SignedIn() caller: Caller) {
    return { api_key: await this.regenerateKey.execute(caller) };
  }

  @Endpoint(fetchApiKey)
  async fetch(
    @Headers('host') host: string,
    @Parameters() { username, password }: ParametersOf<typeof fetchApiKey>,
  ) {
    const subdomain = subdomainOfHost(host, this.externalUrl);
    const { apiKey, deliveryEmail, userId } = await this.fetchKey.execute(
      subdomain,
      username,
      password,
    );
    return { api_key: apiKey, email: deliveryEmail, user_id: userId };
  }
}
