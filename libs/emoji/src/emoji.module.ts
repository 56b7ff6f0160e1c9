import { Module } from '@nestjs/common';
import { AddRealmEmoji } from './add-realm-emoji.js';
import { DeactivateRealmEmoji } from './deactivate-realm-emoji.js';
import { ListRealmEmoji } from './list-realm-emoji.js';
import { OpenEmojiPicture } from './open-emoji-picture.js';
import { readEmojiNames } from './read-emoji-names.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';
import { ResolveEmoji } from './resolve-emoji.js';
import { UnicodeEmoji } from './unicode-emoji.js';

/** The emoji that a status or a reaction may have; needs DatabaseModule and UploadsModule. */
@Module({
  providers: [
    // At the start, so that no request waits for the files.
    {
      provide: UnicodeEmoji,
      useFactory: () => new UnicodeEmoji(readEmojiNames()),
    },
    AddRealmEmoji,
    DeactivateRealmEmoji,
    ListRealmEmoji,
    OpenEmojiPicture,
    RealmEmojiRepository,
    ResolveEmoji,
  ],
  exports: [AddRealmEmoji, DeactivateRealmEmoji, ListRealmEmoji, OpenEmojiPicture, ResolveEmoji],
})
export class EmojiModule {}
