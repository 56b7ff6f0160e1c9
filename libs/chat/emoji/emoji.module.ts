import { Module } from '@nestjs/common';
import { EmojiNamesModule, UnicodeEmoji } from '#chat/emoji-names';
import { EventLogModule } from '#events/log';
import { EmojiEvents } from './emoji.events.js';
import { RealmEmojiService } from './realm-emoji.service.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';
import { EmojiData } from './emoji-data.js';
import { EmojiDataEvents } from './emoji-data.events.js';
import { EmojiPictures } from './emoji-pictures.js';
import { EmojiResolver } from './emoji-resolver.js';

/** The emoji of statuses and reactions; needs DatabaseModule and UploadsModule. */
@Module({
  imports: [EmojiNamesModule, EventLogModule],
  providers: [
    EmojiEvents,
    {
      provide: EmojiData,
      useFactory: (unicode: UnicodeEmoji) => new EmojiData(unicode),
      inject: [UnicodeEmoji],
    },
    EmojiDataEvents,
    EmojiPictures,
    RealmEmojiService,
    RealmEmojiRepository,
    EmojiResolver,
  ],
  exports: [EmojiData, EmojiPictures, RealmEmojiService, EmojiResolver],
})
export class EmojiModule {}
