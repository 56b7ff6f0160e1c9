import { Injectable } from '@nestjs/common';
import { type RealmEmoji, RealmEmojiRepository } from './realm-emoji.repository.js';

/** Tells the emoji that an organisation has uploaded, those that are deactivated too. */
@Injectable()
export class ListRealmEmoji {
  constructor(private readonly realmEmoji: RealmEmojiRepository) {}

  execute(realmId: number): Promise<RealmEmoji[]> {
    return this.realmEmoji.list(realmId);
  }
}
