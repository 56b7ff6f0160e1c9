export { typingErrors } from './typing.errors.js';
