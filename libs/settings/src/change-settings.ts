import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type AccountChange, ChangeAccount } from '#users';
import { ChangePresenceSharing } from './change-presence-sharing.js';

/** What the caller wants to be different; what is left out stays as it is. */
export interface SettingsChange extends AccountChange {
  readonly sharesPresence?: boolean | undefined;
}

/** Changes the caller's settings. */
@Injectable()
export class ChangeSettings {
  constructor(
    private readonly account: ChangeAccount,
    private readonly presence: ChangePresenceSharing,
  ) {}

  /** Rejects with ApiError for a name that is refused; then nothing has changed. */
  async execute(caller: Caller, { sharesPresence, ...account }: SettingsChange): Promise<void> {
    await this.account.execute(caller, account);
    if (sharesPresence !== undefined) await this.presence.execute(caller, sharesPresence);
  }
}
