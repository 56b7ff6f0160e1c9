export { CreatePlayground } from './create-playground.js';
export { DeletePlayground } from './delete-playground.js';
export type { NewPlayground } from './playground.repository.js';
export { PlaygroundsModule } from './playgrounds.module.js';
