export type { MarkdownContext } from './markdown-context.js';
export { type Mentions, mentionsIn } from './mention-syntax.rules.js';
export { plainTextOf } from './plain-text.js';
export { renderMarkdown } from './render-markdown.js';
