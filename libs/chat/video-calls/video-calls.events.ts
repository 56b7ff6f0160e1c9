import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { providerNames } from './provider-table.rules.js';
import type { TokenOwner } from './provider-token.rules.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';

const nameOf = (provider: string): string => `has_${provider}_token`;

/**
 * Whether an account is registered at each provider: as `POST /register` shows it, and the events of its changes. Only the
 * account itself gets them.
 */
@Injectable()
@DeclaresEvents()
export class VideoCallEvents implements CapabilityEvents {
  readonly types = providerNames.map((provider) => ({ type: nameOf(provider) }));
  readonly fetchTypes = ['video_calls'];

  constructor(
    private readonly tokens: VideoCallTokenRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest): Promise<Record<string, boolean>> {
    const registered = await this.tokens.providersOf(snapshot, caller.userId);
    return Object.fromEntries(
      providerNames.map((provider) => [nameOf(provider), registered.includes(provider)]),
    );
  }

  /** Adds the event of the first token at a provider (`hasToken`), or of the removal of the token. */
  changed(
    transaction: Transaction,
    realmId: number,
    { userId, provider }: TokenOwner,
    { hasToken }: { readonly hasToken: boolean },
  ): void {
    const audience = { userIds: [userId] };
    const body = { value: hasToken };
    this.log.append(transaction, { realmId, type: nameOf(provider), body, audience });
  }
}
