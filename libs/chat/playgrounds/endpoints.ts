export { PlaygroundsController } from './playgrounds.controller.js';
