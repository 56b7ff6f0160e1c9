import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import { isGuest } from '#directory/roles';
import type { Transaction } from '#platform/database';
import { ChannelState } from './listing/channel-state.js';
import { DefaultChannelRepository } from './defaults/default-channel.repository.js';
import { channelEventType } from './visibility/channel-visibility.events.js';
import { subscriptionEventType } from './subscriptions/subscriptions.events.js';

/** The channels and subscriptions of `POST /register`, and the events of default channels. */
@Injectable()
@DeclaresEvents()
export class ChannelEvents implements CapabilityEvents {
  readonly types = [channelEventType, subscriptionEventType, { type: 'default_streams' }];
  readonly fetchTypes = ['stream', 'subscription', 'default_streams'];

  constructor(
    private readonly state: ChannelState,
    private readonly defaults: DefaultChannelRepository,
    private readonly log: EventLog,
  ) {}

  async readState(request: StateRequest): Promise<Readonly<Record<string, unknown>>> {
    const { caller, snapshot, wants } = request;
    return {
      ...((wants('stream') || wants('subscription')) && (await this.state.read(request))),
      ...(wants('default_streams') && {
        realm_default_streams: isGuest(caller.role)
          ? []
          : await this.defaults.list(snapshot, caller.realm.id),
      }),
    };
  }

  /** Adds the event of a changed list of default channels; runs after the change in its transaction. Guests do not get it. */
  async defaultsChanged(transaction: Transaction, realmId: number): Promise<void> {
    this.log.append(transaction, {
      realmId,
      type: 'default_streams',
      body: { default_streams: await this.defaults.list(transaction, realmId) },
      audience: { everyone: 'members' },
    });
  }
}
