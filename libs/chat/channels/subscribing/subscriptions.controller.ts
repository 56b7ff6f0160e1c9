import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { SubscribingService } from './subscribing.service.js';
import { SubscriptionSettingsService } from './subscription-settings.service.js';
import { ownSubscriptionsOf } from './own-subscriptions.schema.js';
import {
  accountsOf,
  changeSubscriptions,
  patchSubscriptions,
  propertyChangeOf,
  subscribe,
  subscribedNamesOf,
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
      ...subscribedNamesOf(result),
      ...(!parameters.authorization_errors_fatal && { unauthorized: result.unauthorized }),
      ...(parameters.send_new_subscription_messages && {
        new_subscription_messages_sent: result.areOthersTold,
      }),
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

  @Endpoint(patchSubscriptions)
  async patch(
    @SignedIn() caller: Caller,
    @Parameters() { add, delete: left }: ParametersOf<typeof patchSubscriptions>,
  ) {
    const input = ownSubscriptionsOf(caller, add, left);
    const subscribed = await this.subscribing.subscribe(caller, input);
    const { removed, notRemoved } = await this.unsubscribing.unsubscribe(caller, left, null);
    return { ...subscribedNamesOf(subscribed), removed, not_removed: notRemoved };
  }

  @Endpoint(changeSubscriptions)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { subscription_data }: ParametersOf<typeof changeSubscriptions>,
  ) {
    await this.settings.change(caller, subscription_data.map(propertyChangeOf));
  }
}
