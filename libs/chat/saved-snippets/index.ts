export { savedSnippetErrors } from './saved-snippets.errors.js';
