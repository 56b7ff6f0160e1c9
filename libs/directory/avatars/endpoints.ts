export { AvatarsController } from './avatars.controller.js';
