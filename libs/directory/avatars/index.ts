export { AVATAR_VERSION, avatarUrl, mediumAvatarUrl } from './avatar-url.rules.js';
