export { draftErrors } from './drafts.errors.js';
export { DraftsModule } from './drafts.module.js';
