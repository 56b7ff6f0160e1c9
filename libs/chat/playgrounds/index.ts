export { PlaygroundsModule } from './playgrounds.module.js';
export { playgroundErrors } from './playgrounds.errors.js';
