import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import {
  Endpoint,
  Parameters,
  type ParametersOf,
  SentFile,
  SignedIn,
  type UploadedFile,
} from '#edge';
import { AddRealmEmoji, DeactivateRealmEmoji, ListRealmEmoji, OpenEmojiPicture } from '#emoji';
import { answerOfEmoji, answerOfPicture } from './emoji.answer.js';
import { addEmoji, deactivateEmoji, getEmojiPicture, listEmoji } from './emoji.schema.js';

@Controller()
export class EmojiController {
  constructor(
    private readonly listRealmEmoji: ListRealmEmoji,
    private readonly addRealmEmoji: AddRealmEmoji,
    private readonly deactivateRealmEmoji: DeactivateRealmEmoji,
    private readonly openPicture: OpenEmojiPicture,
  ) {}

  @Endpoint(listEmoji)
  async list(@SignedIn() { realm }: Caller) {
    return {
      emoji: answerOfEmoji(realm.id, await this.listRealmEmoji.execute(realm.id)),
    };
  }

  @Endpoint(addEmoji)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { emoji_name }: ParametersOf<typeof addEmoji>,
    @SentFile() file: UploadedFile,
  ) {
    await this.addRealmEmoji.execute(caller, emoji_name, file);
  }

  @Endpoint(deactivateEmoji)
  async deactivate(
    @SignedIn() caller: Caller,
    @Parameters() { emoji_name }: ParametersOf<typeof deactivateEmoji>,
  ) {
    await this.deactivateRealmEmoji.execute(caller, emoji_name);
  }

  @Endpoint(getEmojiPicture)
  async picture(@Parameters() { realm_id, file_name }: ParametersOf<typeof getEmojiPicture>) {
    return answerOfPicture(await this.openPicture.execute(realm_id, file_name));
  }
}
