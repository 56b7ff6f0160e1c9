import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf } from '#platform/http';
import { avatarPicture } from './avatar-picture.rules.js';
import { getAvatar, getDerivedMediumAvatar, getMediumAvatar } from './avatars.schema.js';
import { toDrawnPictureResponse } from './drawn-picture.response.js';

/** In pixels; a picture is six cells wide. */
const CELL_SIZE = 20;
const MEDIUM_CELL_SIZE = 80;

@Controller()
export class AvatarsController {
  @Endpoint(getAvatar)
  get(@Parameters() { user_id }: ParametersOf<typeof getAvatar>) {
    return toDrawnPictureResponse(avatarPicture(user_id, CELL_SIZE));
  }

  @Endpoint(getMediumAvatar)
  getMedium(@Parameters() { user_id }: ParametersOf<typeof getMediumAvatar>) {
    return toDrawnPictureResponse(avatarPicture(user_id, MEDIUM_CELL_SIZE));
  }

  @Endpoint(getDerivedMediumAvatar)
  getDerivedMedium(@Parameters() parameters: ParametersOf<typeof getDerivedMediumAvatar>) {
    return this.getMedium(parameters);
  }
}
