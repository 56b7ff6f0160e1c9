export { typingErrors } from './typing.errors.js';
export { TypingModule } from './typing.module.js';
