import MarkdownIt, { type RendererRule } from 'markdown-it';
import { cleanHtml } from './clean-html.js';
import { fencedBlocks } from './fenced-blocks.plugin.js';
import { links } from './links.plugin.js';
import { environmentWith, type MarkdownContext } from './markdown-context.js';
import { mentions } from './mentions.plugin.js';
import { nestingLimit } from './nesting-limit.plugin.js';
import { timestamps } from './timestamps.plugin.js';

const wholeElement: RendererRule = (tokens, index, _options, _environment, renderer) => {
  const token = tokens[index];
  if (token === undefined) return '';
  const text = parser.utils.escapeHtml(token.content);
  return `<${token.tag}${renderer.renderAttrs(token)}>${text}</${token.tag}>`;
};

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 40 })
  .use(nestingLimit)
  .use(fencedBlocks)
  .use(links)
  .use(timestamps)
  .use(mentions);
parser.renderer.rules['whole_element'] = wholeElement;
parser.renderer.rules['s_open'] = () => '<del>';
parser.renderer.rules['s_close'] = () => '</del>';

/**
 * The service's Markdown as HTML that is safe to show. Raw HTML in the source is shown as text. Without a
 * context nobody is mentioned, and the source's own characters stay.
 *
 * Its caller limits the length: 10,000 characters take some milliseconds, however they nest.
 */
export const renderMarkdown = (source: string, context?: MarkdownContext): string =>
  cleanHtml(parser.render(source, environmentWith(context))).trim();
