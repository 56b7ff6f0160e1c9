export { cellPicture } from './avatar-picture.rules.js';
export { AVATAR_VERSION, avatarUrl, mediumAvatarUrl } from './avatar-url.rules.js';
export { toDrawnPictureResponse } from './drawn-picture.response.js';
