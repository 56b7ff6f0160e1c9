import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator } from '#contracts';
import { RealmEmojiRepository } from './realm-emoji.repository.js';

/** Takes a custom emoji out of use; statuses and reactions that have it keep it. */
@Injectable()
export class DeactivateRealmEmoji {
  constructor(private readonly realmEmoji: RealmEmojiRepository) {}

  /**
   * Throws ApiError `noSuchCustomEmoji` when no active one has the name, and `mayNotRemoveEmoji` for
   * callers who are neither its author nor an administrator.
   */
  async execute(caller: Caller, name: string): Promise<void> {
    const emoji = await this.realmEmoji.findActive(caller.realm.id, name);
    if (emoji === null) throw new ApiError('noSuchCustomEmoji', { name });
    if (emoji.authorId !== caller.userId && !isAdministrator(caller.role)) {
      throw new ApiError('mayNotRemoveEmoji');
    }
    if (!(await this.realmEmoji.deactivate(emoji.id))) {
      throw new ApiError('noSuchCustomEmoji', { name });
    }
  }
}
