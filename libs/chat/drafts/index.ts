export { draftErrors } from './drafts.errors.js';
