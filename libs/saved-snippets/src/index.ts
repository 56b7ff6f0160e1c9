export { SavedSnippetsModule } from './saved-snippets.module.js';
