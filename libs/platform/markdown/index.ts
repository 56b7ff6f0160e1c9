export { hasEmoticon } from './emoji.plugin.js';
export { type MentionNames, mentionedNames, type TopicName } from './mention-syntax.rules.js';
export type { EmojiMatch, LinkMatch, NameMatch, MarkdownContext } from './environment.js';
export { lateModules } from './libraries.js';
export type { Mentions } from './mentions.plugin.js';
export { plainTextOf } from './plain-text.js';
export { renderListed, renderMarkdown } from './render-markdown.js';
export {
  channelLink,
  channelMention,
  channelPath,
  fencedBlock,
  literalText,
  quoteBlock,
  silentGroupMention,
  silentUserMention,
} from './server-text.rules.js';
