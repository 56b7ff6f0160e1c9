import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { WebPushRegistration } from './web-push-registration.js';
import { WebPushSubscriptions } from './web-push-subscriptions.service.js';
import type { ListedSubscription } from './web-push.repository.js';
import { confirmWebPush, listWebPush, registerWebPush, removeWebPush } from './web-push.schema.js';

@Controller()
export class WebPushController {
  constructor(
    private readonly registration: WebPushRegistration,
    private readonly subscriptions: WebPushSubscriptions,
  ) {}

  @Endpoint(registerWebPush)
  async register(
    @SignedIn() caller: Caller,
    @Parameters() fields: ParametersOf<typeof registerWebPush>,
  ) {
    const { id, state } = await this.registration.register(caller, fields);
    return { subscription_id: id, state };
  }

  @Endpoint(confirmWebPush)
  async confirm(
    @SignedIn() caller: Caller,
    @Parameters()
    { subscription_id: id, confirmation_token: token }: ParametersOf<typeof confirmWebPush>,
  ) {
    await this.registration.confirm(caller, id, token);
  }

  @Endpoint(listWebPush)
  async list(@SignedIn() caller: Caller) {
    const listed = await this.subscriptions.list(caller);
    return { web_push_subscriptions: listed.map(toResponse) };
  }

  @Endpoint(removeWebPush)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { subscription_id: id, endpoint }: ParametersOf<typeof removeWebPush>,
  ) {
    await this.subscriptions.remove(caller, id, endpoint);
  }
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

const toResponse = (subscription: ListedSubscription) => ({
  subscription_id: subscription.id,
  host: new URL(subscription.endpoint).hostname,
  kind: subscription.kind,
  state: subscription.state,
  registered_at: secondsOf(subscription.registeredAt),
  confirmed_at: subscription.confirmedAt && secondsOf(subscription.confirmedAt),
});
