import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import type { ParametersOf } from '#platform/http';
import {
  areSubscriptionKeys,
  type EndpointPolicy,
  isEndpointAllowed,
  parseEndpoint,
  WebPushKeys,
} from '#push/providers';
import { ConfirmationTokens } from './confirmation-tokens.js';
import { webPushErrors } from './web-push.errors.js';
import type { NewSubscription } from './web-push.repository.js';
import { bytesIn } from './web-push.rules.js';
import type { registerWebPush } from './web-push.schema.js';

/** DI token: the EndpointPolicy, the hosts that subscriptions may name. */
export const WEB_PUSH_POLICY = Symbol('WebPushPolicy');

/** Reads the subscriptions in requests. */
@Injectable()
export class WebPushRequests {
  constructor(
    private readonly keys: WebPushKeys,
    private readonly tokens: ConfirmationTokens,
    @Inject(WEB_PUSH_POLICY) private readonly policy: EndpointPolicy,
  ) {}

  /** Rejects with ApiError for one that this server cannot send to. */
  async subscriptionIn(fields: ParametersOf<typeof registerWebPush>): Promise<NewSubscription> {
    if (!this.tokens.isConfigured || (await this.keys.current()) === null) {
      throw new ApiError(webPushErrors.webPushDisabled);
    }
    const endpoint = endpointIn(fields.endpoint);
    if (!isEndpointAllowed(endpoint, this.policy)) {
      throw new ApiError(webPushErrors.webPushEndpointNotAllowed);
    }
    const [p256dh, auth] = [bytesIn(fields.p256dh), bytesIn(fields.auth)];
    if (p256dh === null || auth === null || !areSubscriptionKeys({ p256dh, auth })) {
      throw new ApiError(webPushErrors.invalidWebPushKeys);
    }
    const vapidKeyId = await this.keys.idOf(fields.vapid_public_key);
    if (vapidKeyId === null) throw new ApiError(webPushErrors.unknownVapidKey);
    return { kind: fields.kind, endpoint: endpoint.text, p256dh, auth, vapidKeyId };
  }
}

/** An endpoint in the one spelling that is stored. Throws ApiError for one that no push service gives out. */
export function endpointIn(text: string) {
  const endpoint = parseEndpoint(text);
  if (endpoint === null) throw new ApiError(webPushErrors.invalidWebPushEndpoint);
  return { ...endpoint, text: `${endpoint.origin}${endpoint.path}` };
}
