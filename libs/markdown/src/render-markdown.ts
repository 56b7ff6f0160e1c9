import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { cleanHtml } from './clean-html.js';
import { fencedBlocks } from './fenced-blocks.plugin.js';
import { links } from './links.plugin.js';
import { environmentWith, type MarkdownContext } from './markdown-context.js';
import { mentions } from './mentions.plugin.js';
import { nestingLimit } from './nesting-limit.plugin.js';
import { tableLimit } from './table-limit.plugin.js';
import { timestamps } from './timestamps.plugin.js';

const wholeElement: RendererRule = (tokens, index, _options, _environment, renderer) => {
  const token = tokens[index];
  if (token === undefined) return '';
  const text = parser.utils.escapeHtml(token.content);
  return `<${token.tag}${renderer.renderAttrs(token)}>${text}</${token.tag}>`;
};

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 40 })
  .use(tableLimit)
  .use(nestingLimit)
  .use(fencedBlocks)
  .use(links)
  .use(timestamps)
  .use(mentions);
parser.renderer.rules['whole_element'] = wholeElement;
parser.renderer.rules['s_open'] = () => '<del>';
parser.renderer.rules['s_close'] = () => '</del>';

/** How much longer than its source HTML may be: so many times, and so many characters more. */
const MOST_GROWTH = 10;
const ALLOWANCE = 20_000;

/**
 * The service's Markdown as HTML that is safe to show. Raw HTML in the source is shown as text. Without a
 * context nobody is mentioned, and the source's own characters stay. A source whose HTML would be out of
 * proportion, such as one that repeats a long link by reference, is shown as it was written.
 *
 * Its caller limits the length: 10,000 characters take some milliseconds, however they nest.
 */
export function renderMarkdown(source: string, context?: MarkdownContext): string {
  const environment = environmentWith(context);
  const longest = MOST_GROWTH * source.length + ALLOWANCE;
  const tokens = parser.parse(source, environment);
  if (lengthOf(tokens) > longest) return asWritten(source);
  const html = parser.renderer.render(tokens, parser.options, environment);
  return html.length > longest ? asWritten(source) : cleanHtml(html).trim();
}

/** The length of what tokens hold; their HTML is longer. */
const lengthOf = (tokens: readonly Token[]): number =>
  tokens.reduce((length, { content, attrs, children }) => {
    const values = (attrs ?? []).reduce((sum, [, value]) => sum + String(value).length, 0);
    return length + values + (children === null ? content.length : lengthOf(children));
  }, 0);

const asWritten = (source: string): string =>
  cleanHtml(`<p>${parser.utils.escapeHtml(source.trim()).replaceAll('\n', '<br>\n')}</p>`);
