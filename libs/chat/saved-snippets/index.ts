export { SavedSnippetsModule } from './saved-snippets.module.js';
export { savedSnippetErrors } from './saved-snippets.errors.js';
