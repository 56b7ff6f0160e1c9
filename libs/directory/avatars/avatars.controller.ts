import { Readable } from 'node:stream';
import { Controller } from '@nestjs/common';
import { Endpoint, FileAnswer, Parameters, type ParametersOf } from '#platform/http';
import { avatarPicture } from './avatar-picture.rules.js';
import { getAvatar, getDerivedMediumAvatar, getMediumAvatar } from './avatars.schema.js';

/** In pixels; a picture is six cells wide. */
const CELL_SIZE = 20;
const MEDIUM_CELL_SIZE = 80;

@Controller()
export class AvatarsController {
  @Endpoint(getAvatar)
  get(@Parameters() { user_id }: ParametersOf<typeof getAvatar>) {
    return toPictureAnswer(avatarPicture(user_id, CELL_SIZE));
  }

  @Endpoint(getMediumAvatar)
  getMedium(@Parameters() { user_id }: ParametersOf<typeof getMediumAvatar>) {
    return toPictureAnswer(avatarPicture(user_id, MEDIUM_CELL_SIZE));
  }

  @Endpoint(getDerivedMediumAvatar)
  getDerivedMedium(@Parameters() parameters: ParametersOf<typeof getDerivedMediumAvatar>) {
    return this.getMedium(parameters);
  }
}

const toPictureAnswer = (picture: Buffer): FileAnswer =>
  new FileAnswer({
    sizeBytes: picture.length,
    headers: {
      'Content-Type': 'image/png',
      // For a day: a later release may draw other pictures.
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    open: (range) =>
      Promise.resolve(
        Readable.from([range === null ? picture : picture.subarray(range.first, range.last + 1)]),
      ),
  });
