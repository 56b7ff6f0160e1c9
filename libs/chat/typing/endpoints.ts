export { TypingController } from './typing.controller.js';
