import { Module } from '@nestjs/common';
import { EmojiLookup } from './emoji-lookup.js';
import { NamedEmojiRepository } from './named-emoji.repository.js';
import { readEmojiKeywords, readEmojiNames, UnicodeEmoji } from './unicode-emoji.js';

/** The names of emoji; needs DatabaseModule. */
@Module({
  providers: [
    // Loaded at the start, so that no request waits for the files.
    {
      provide: UnicodeEmoji,
      useFactory: () => new UnicodeEmoji(readEmojiNames(), readEmojiKeywords()),
    },
    EmojiLookup,
    NamedEmojiRepository,
  ],
  exports: [EmojiLookup, UnicodeEmoji],
})
export class EmojiNamesModule {}
