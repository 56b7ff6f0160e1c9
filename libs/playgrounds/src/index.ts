export { PlaygroundsModule } from './playgrounds.module.js';
