import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { blockLimits } from './block-limits.plugin.js';
import { blocks } from './blocks.plugin.js';
import { emoji } from './emoji.plugin.js';
import { environmentWith, growthOf, type MarkdownContext } from './environment.js';
import { fencedBlocks } from './fenced-blocks.plugin.js';
import { formulas } from './formulas.plugin.js';
import { inlineSyntax } from './inline-syntax.plugin.js';
import { linkifiers } from './linkifiers.plugin.js';
import { links } from './links.plugin.js';
import { type Mentions, mentions, mentionsOf } from './mentions.plugin.js';
import { previews } from './previews.plugin.js';
import { cleanHtml } from './safe-html.js';
import { tables } from './tables.plugin.js';
import { timestamps } from './timestamps.plugin.js';
import { uploadedMedia } from './uploaded-media.plugin.js';

/** A rendered source. */
interface RenderedMarkdown {
  /** Safe to show. */
  readonly html: string;
  readonly mentions: Mentions;
}

/**
 * The HTML may be 10 times as long as its source, plus 20,000 characters, plus what formulas, colours of code, emoji,
 * pictures and aligned cells take: together at most 130,000 characters.
 */
const MAX_GROWTH = 10;
const ALLOWANCE = 20_000;

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 40 })
  .use(blockLimits)
  .use(blocks)
  .use(fencedBlocks)
  .use(tables)
  .use(formulas)
  .use(inlineSyntax)
  .use(links)
  .use(uploadedMedia)
  .use(linkifiers)
  .use(timestamps)
  .use(mentions)
  .use(emoji)
  .use(previews);

/** Emphasises the last place of a part of HTML: a channel may have the name of the topic. */
function withEmphasis(html: string, part: string): string {
  if (part === '') return html;
  const at = html.lastIndexOf(part);
  return `${html.slice(0, at)}<em>${part}</em>${html.slice(at + part.length)}`;
}

const wholeElement: RendererRule = (tokens, index, _options, _environment, renderer) => {
  const token = tokens[index];
  if (token === undefined) return '';
  const text = parser.utils.escapeHtml(token.content);
  const content = withEmphasis(text, parser.utils.escapeHtml(token.info));
  return `<${token.tag}${renderer.renderAttrs(token)}>${content}</${token.tag}>`;
};

for (const type of [
  'timestamp',
  'emoji',
  'mention',
  'user_mention',
  'group_mention',
  'topic_mention',
  'channel_link',
]) {
  parser.renderer.rules[type] = wholeElement;
}
parser.renderer.rules['s_open'] = () => '<del>';
parser.renderer.rules['s_close'] = () => '</del>';

/**
 * Renders the service's Markdown as safe HTML. Raw HTML in the source becomes text. Without a context, nothing is
 * mentioned. A source whose HTML would be out of proportion, for example one that repeats a long link by reference, is
 * shown as plain text and mentions nothing.
 *
 * The caller limits the length of the source: 10,000 characters take some milliseconds, however they nest.
 */
export function renderMarkdown(source: string, context?: MarkdownContext): RenderedMarkdown {
  const environment = environmentWith(context);
  const maxLength = MAX_GROWTH * source.length + ALLOWANCE;
  const tokens = parser.parse(source, environment);
  if (lengthOf(tokens) > maxLength + growthOf(environment)) return asPlainText(source);
  const html = parser.renderer.render(tokens, parser.options, environment);
  if (html.length > maxLength + growthOf(environment)) return asPlainText(source);
  return { html: cleanHtml(html).trim(), mentions: mentionsOf(tokens) };
}

/** The HTML of a text in a list of thousands: it may be 4 times as long as its source, plus 1,000 characters. */
const MAX_LISTED_GROWTH = 4;
const LISTED_ALLOWANCE = 1000;

/** The HTML of a text in a list of thousands: like that of `renderMarkdown`, but plain text if it would be much longer. */
export function renderListed(source: string): string {
  const { html } = renderMarkdown(source);
  const isBounded = html.length <= MAX_LISTED_GROWTH * source.length + LISTED_ALLOWANCE;
  return isBounded ? html : asPlainText(source).html;
}

/** The total length of the content and attributes of the tokens: a lower bound for the length of their HTML. */
const lengthOf = (tokens: readonly Token[]): number =>
  tokens.reduce((length, { content, attrs, children }) => {
    const values = (attrs ?? []).reduce((sum, [, value]) => sum + String(value).length, 0);
    return length + values + (children === null ? content.length : lengthOf(children));
  }, 0);

function asPlainText(source: string): RenderedMarkdown {
  const lines = parser.utils.escapeHtml(source.trim()).replaceAll('\n', '<br>\n');
  return { html: cleanHtml(`<p>${lines}</p>`), mentions: mentionsOf([]) };
}
