export { CreateSavedSnippet } from './create-saved-snippet.js';
export { DeleteSavedSnippet } from './delete-saved-snippet.js';
export { EditSavedSnippet } from './edit-saved-snippet.js';
export { ListSavedSnippets } from './list-saved-snippets.js';
export type { SavedSnippet, SnippetEdit, SnippetText } from './saved-snippet.repository.js';
export { SavedSnippetsModule } from './saved-snippets.module.js';
