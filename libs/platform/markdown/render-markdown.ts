import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import sanitize from 'sanitize-html';
import { blockLimits } from './block-limits.plugin.js';
import { fencedBlocks } from './fenced-blocks.plugin.js';
import { links } from './links.plugin.js';
import {
  environmentWith,
  type MarkdownContext,
  type Mentions,
  mentions,
  mentionsOf,
} from './mentions.plugin.js';
import { timestamps } from './timestamps.plugin.js';

/** A rendered source. */
export interface RenderedMarkdown {
  /** Safe to show. */
  readonly html: string;
  readonly mentions: Mentions;
}

/** The HTML may be 10 times as long as its source, plus 20,000 characters. */
const MAX_GROWTH = 10;
const ALLOWANCE = 20_000;

const sanitizerOptions: sanitize.IOptions = {
  allowedTags: [
    'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li table thead tbody tr th td',
    'strong em del code pre a span div time',
  ].flatMap((names) => names.split(' ')),
  allowedAttributes: {
    a: ['href', 'title', 'data-stream-id'],
    div: ['aria-hidden', 'data-code-language'],
    ol: ['start'],
    span: ['data-user-id', 'data-user-group-id'],
    time: ['datetime'],
  },
  allowedClasses: {
    a: ['stream', 'stream-topic', 'message-link'],
    div: ['codehilite', 'spoiler-block', 'spoiler-header', 'spoiler-content'],
    span: ['user-mention', 'channel-wildcard-mention', 'user-group-mention', 'silent'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: 100,
};

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 40 })
  .use(blockLimits)
  .use(fencedBlocks)
  .use(links)
  .use(timestamps)
  .use(mentions);

const wholeElement: RendererRule = (tokens, index, _options, _environment, renderer) => {
  const token = tokens[index];
  if (token === undefined) return '';
  const text = parser.utils.escapeHtml(token.content);
  return `<${token.tag}${renderer.renderAttrs(token)}>${text}</${token.tag}>`;
};

for (const type of ['timestamp', 'mention', 'user_mention', 'group_mention', 'channel_link']) {
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
  if (lengthOf(tokens) > maxLength) return asPlainText(source);
  const html = parser.renderer.render(tokens, parser.options, environment);
  if (html.length > maxLength) return asPlainText(source);
  return { html: cleanHtml(html).trim(), mentions: mentionsOf(tokens) };
}

/** Drops everything that Markdown cannot produce: a second barrier behind the parser. */
export const cleanHtml = (html: string): string =>
  sanitize(html, sanitizerOptions).replaceAll(/<([bh]r) \/>/g, '<$1>');

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
