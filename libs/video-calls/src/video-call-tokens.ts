import { Inject, Injectable, Logger } from '@nestjs/common';
import { API_KEY_SECRET } from '#auth';
import { deriveKey, openSealedText, sealText } from '#core';
import {
  parseToken,
  type ProviderToken,
  type ReadToken,
  type TokenOwner,
  tokenText,
} from './provider-token.rules.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';

/** A token as it was read: changed or removed only while it is still that one. */
export interface HeldToken {
  readonly owner: TokenOwner;
  readonly token: ProviderToken;
  readonly sealed: Buffer;
}

/** The tokens that providers gave accounts out, sealed under a key of their own. */
@Injectable()
export class VideoCallTokens {
  readonly #key: Buffer;
  private readonly logger = new Logger(VideoCallTokens.name);

  constructor(
    private readonly repository: VideoCallTokenRepository,
    @Inject(API_KEY_SECRET) secret: Buffer,
  ) {
    this.#key = deriveKey(secret, 'video call tokens');
  }

  /**
   * Null when there is none, and for one that was sealed under another secret or for another owner. A token that an
   * earlier release has sealed does not name its owner; it is sealed anew with it.
   */
  async find(owner: TokenOwner): Promise<HeldToken | null> {
    const sealed = await this.repository.find(owner);
    const read = sealed === null ? null : this.#open(owner, sealed);
    if (sealed === null || read === null) return null;
    const held = { owner, token: read.token, sealed };
    return read.isBound ? held : ((await this.replace(held, read.token)) ?? held);
  }

  #open(owner: TokenOwner, sealed: Buffer): ReadToken | null {
    try {
      return parseToken(openSealedText(sealed, this.#key), owner);
    } catch {
      this.logger.warn(`The ${owner.provider} token of account ${owner.userId} cannot be opened`);
      return null;
    }
  }

  /** Whether the account has agreed at the provider, as far as is known here. */
  async has(owner: TokenOwner): Promise<boolean> {
    return (await this.find(owner)) !== null;
  }

  /** Stores a token, over another if there is one; false when there is no such account in use. */
  store(owner: TokenOwner, token: ProviderToken): Promise<boolean> {
    return this.repository.store(owner, this.#seal(owner, token));
  }

  /** Null when it is no longer the token that was read. */
  async replace({ owner, sealed }: HeldToken, token: ProviderToken): Promise<HeldToken | null> {
    const replacement = this.#seal(owner, token);
    const isReplaced = await this.repository.replace(owner, sealed, replacement);
    return isReplaced ? { owner, token, sealed: replacement } : null;
  }

  /** Removes the token that was read; one that was stored since stays. */
  remove({ owner, sealed }: HeldToken): Promise<void> {
    return this.repository.remove(owner, sealed);
  }

  #seal(owner: TokenOwner, token: ProviderToken): Buffer {
    return sealText(tokenText(token, owner), this.#key);
  }
}
