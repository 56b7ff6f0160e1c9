export { reactionErrors } from './reactions.errors.js';
export { MAX_REACTIONS } from './reactions.service.js';
