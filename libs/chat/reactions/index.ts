export { reactionErrors } from './reactions.errors.js';
export { ReactionsModule } from './reactions.module.js';
export { MAX_REACTIONS } from './reactions.service.js';
