import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { realmUrl } from '#platform/core';
import { EmojiData } from './emoji-data.js';

/** The address of the emoji data in `POST /register`. It changes only with the version of the server. */
@Injectable()
@DeclaresEvents()
export class EmojiDataEvents implements CapabilityEvents {
  readonly types = [];
  readonly fetchTypes = ['realm'];

  constructor(
    private readonly data: EmojiData,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  readState({ caller }: StateRequest) {
    const origin = realmUrl(this.externalUrl, caller.realm.subdomain);
    return Promise.resolve({ server_emoji_data_url: origin + this.data.path });
  }
}
