import { Injectable } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { PushRevocations } from '#push/revocations';
import { endpointIn } from './web-push-requests.js';
import { type ListedSubscription, WebPushRepository } from './web-push.repository.js';

/** The subscriptions of Web Push of a caller. */
@Injectable()
export class WebPushSubscriptions {
  constructor(
    private readonly subscriptions: WebPushRepository,
    private readonly revocations: PushRevocations,
  ) {}

  list(caller: Caller): Promise<ListedSubscription[]> {
    return this.subscriptions.list(caller);
  }

  /** Removes a subscription by its id or its endpoint; nothing more is sent to it. An unknown one is no error. */
  async remove(caller: Caller, id: number, endpoint: string | undefined): Promise<void> {
    const text = endpoint === undefined ? null : endpointIn(endpoint).text;
    const removed = await this.subscriptions.removeOwn(caller.userId, id, text);
    if (removed.length > 0) await this.revocations.revokeDevices(removed);
  }
}
