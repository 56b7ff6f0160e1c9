export { hasEmoticon } from './emoji.plugin.js';
export { encodeFragment, type MentionedNames, mentionedNames } from './mention-syntax.rules.js';
export type { FoundEmoji, FoundLink, MarkdownContext } from './environment.js';
export type { Mentions } from './mentions.plugin.js';
export { plainTextOf } from './plain-text.js';
export { renderMarkdown } from './render-markdown.js';
