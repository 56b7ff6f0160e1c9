import { Controller } from '@nestjs/common';
import { toDrawnPictureResponse } from '#directory/avatars';
import type { Caller } from '#platform/contracts';
import {
  Endpoint,
  Parameters,
  type ParametersOf,
  SentFile,
  SignedIn,
  type UploadedFile,
} from '#platform/http';
import { EmojiData } from './emoji-data.js';
import { toEmojiDataResponse, toEmojiResponse, toPictureResponse } from './emoji.response.js';
import {
  addEmoji,
  deactivateEmoji,
  getEmojiData,
  getEmojiPicture,
  getExtraEmojiPicture,
  listEmoji,
} from './emoji.schema.js';
import { EmojiPictures } from './emoji-pictures.js';
import { extraEmojiPicture } from './extra-emoji.rules.js';
import { RealmEmojiService } from './realm-emoji.service.js';

@Controller()
export class EmojiController {
  constructor(
    private readonly emoji: RealmEmojiService,
    private readonly pictures: EmojiPictures,
    private readonly emojiData: EmojiData,
  ) {}

  @Endpoint(listEmoji)
  async list(@SignedIn() { realm }: Caller) {
    return {
      emoji: toEmojiResponse(realm.id, await this.emoji.list(realm.id)),
    };
  }

  @Endpoint(addEmoji)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { emoji_name }: ParametersOf<typeof addEmoji>,
    @SentFile() file: UploadedFile,
  ) {
    await this.emoji.add(caller, emoji_name, file);
  }

  @Endpoint(deactivateEmoji)
  async deactivate(
    @SignedIn() caller: Caller,
    @Parameters() { emoji_name }: ParametersOf<typeof deactivateEmoji>,
  ) {
    await this.emoji.deactivate(caller, emoji_name);
  }

  @Endpoint(getEmojiPicture)
  async picture(@Parameters() { realm_id, file_name }: ParametersOf<typeof getEmojiPicture>) {
    return toPictureResponse(await this.pictures.open(realm_id, file_name));
  }

  @Endpoint(getExtraEmojiPicture)
  extraPicture() {
    return toDrawnPictureResponse(extraEmojiPicture);
  }

  @Endpoint(getEmojiData)
  unicodeData(@Parameters() { file_name }: ParametersOf<typeof getEmojiData>) {
    return toEmojiDataResponse(this.emojiData, file_name);
  }
}
