import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { SubscribingService } from './subscribing.service.js';
import { SubscriptionSettingsService } from './subscription-settings.service.js';
import {
  accountsOf,
  changeSubscriptions,
  propertyChangeOf,
  subscribe,
  subscribeInputOf,
  unsubscribe,
} from './subscriptions.schema.js';
import { UnsubscribingService } from './unsubscribing.service.js';

@Controller()
export class SubscriptionsController {
  constructor(
    private readonly subscribing: SubscribingService,
    private readonly unsubscribing: UnsubscribingService,
    private readonly settings: SubscriptionSettingsService,
  ) {}

  @Endpoint(subscribe)
  async subscribe(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof subscribe>,
  ) {
    const result = await this.subscribing.subscribe(caller, subscribeInputOf(parameters));
    return {
      subscribed: Object.fromEntries(result.subscribed),
      already_subscribed: Object.fromEntries(result.alreadySubscribed),
      ...(!parameters.authorization_errors_fatal && { unauthorized: result.unauthorized }),
    };
  }

  @Endpoint(unsubscribe)
  async unsubscribe(
    @SignedIn() caller: Caller,
    @Parameters() { subscriptions, principals }: ParametersOf<typeof unsubscribe>,
  ) {
    const accounts = accountsOf(principals);
    const result = await this.unsubscribing.unsubscribe(caller, subscriptions, accounts);
    return { removed: result.removed, not_removed: result.notRemoved };
  }

  @Endpoint(changeSubscriptions)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { subscription_data }: ParametersOf<typeof changeSubscriptions>,
  ) {
    await this.settings.change(caller, subscription_data.map(propertyChangeOf));
  }
}
