export { SavedSnippetsController } from './saved-snippets.controller.js';
