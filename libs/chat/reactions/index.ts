export { reactionErrors } from './reactions.errors.js';
export { ReactionsModule } from './reactions.module.js';
