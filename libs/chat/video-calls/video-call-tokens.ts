import { Inject, Injectable, Logger } from '@nestjs/common';
import { API_KEY_SECRET } from '#directory/auth';
import { deriveKey, openSealedText, sealText } from '#platform/core';
import { Database } from '#platform/database';
import {
  parseToken,
  type ProviderToken,
  type TokenReading,
  type TokenOwner,
  tokenText,
} from './provider-token.rules.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';
import { VideoCallEvents } from './video-calls.events.js';

/** A token as read from the store; a change or removal fails if another token was stored since. */
export interface VideoCallToken {
  readonly owner: TokenOwner;
  readonly token: ProviderToken;
  readonly sealed: Buffer;
}

/** The tokens of accounts at providers, encrypted with their own key. */
@Injectable()
export class VideoCallTokens {
  readonly #logger = new Logger(VideoCallTokens.name);
  readonly #key: Buffer;

  constructor(
    private readonly repository: VideoCallTokenRepository,
    private readonly database: Database,
    private readonly events: VideoCallEvents,
    @Inject(API_KEY_SECRET) secret: Buffer,
  ) {
    this.#key = deriveKey(secret, 'video call tokens');
  }

  /**
   * The token of an owner; null when none is stored, and for a token that was sealed with another secret or for another
   * owner. Earlier releases sealed tokens without their owner; such a token is sealed again with its owner.
   */
  async find(owner: TokenOwner): Promise<VideoCallToken | null> {
    const sealed = await this.repository.find(owner);
    const read = sealed === null ? null : this.#open(owner, sealed);
    if (sealed === null || read === null) return null;
    const held = { owner, token: read.token, sealed };
    return read.isBound ? held : ((await this.replace(held, read.token)) ?? held);
  }

  #open(owner: TokenOwner, sealed: Buffer): TokenReading | null {
    try {
      return parseToken(openSealedText(sealed, this.#key), owner);
    } catch {
      this.#logger.warn(`The ${owner.provider} token of account ${owner.userId} cannot be opened`);
      return null;
    }
  }

  /** Stores or replaces a token; false when the account does not exist or is deactivated. */
  store(owner: TokenOwner, token: ProviderToken): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const stored = await this.repository.store(transaction, owner, this.#seal(owner, token));
      if (stored?.isFirst === true)
        this.events.changed(transaction, stored.realmId, owner, { hasToken: true });
      return stored !== null;
    });
  }

  /** Replaces the given token; null when another token was stored since. */
  async replace(
    { owner, sealed }: VideoCallToken,
    token: ProviderToken,
  ): Promise<VideoCallToken | null> {
    const replacement = this.#seal(owner, token);
    const isReplaced = await this.repository.replace(owner, sealed, replacement);
    return isReplaced ? { owner, token, sealed: replacement } : null;
  }

  /** Removes the given token; a token stored since stays. */
  async remove({ owner, sealed }: VideoCallToken): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const realmId = await this.repository.remove(transaction, owner, sealed);
      if (realmId !== null) this.events.changed(transaction, realmId, owner, { hasToken: false });
    });
  }

  #seal(owner: TokenOwner, token: ProviderToken): Buffer {
    return sealText(tokenText(token, owner), this.#key);
  }
}
