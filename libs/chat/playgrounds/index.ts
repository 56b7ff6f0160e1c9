export { playgroundErrors } from './playgrounds.errors.js';
