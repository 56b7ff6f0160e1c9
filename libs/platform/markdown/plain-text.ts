import { sanitize } from './libraries.js';
import { LineWriter } from './line-writer.js';

interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly HtmlNode[];
}

type HtmlNode = string | HtmlElement;

interface OpenElement extends HtmlElement {
  readonly children: HtmlNode[];
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 div table tr hr'.split(' '));
const CELLS = new Set(['td', 'th']);

/** Stands for a space that is kept; other white space is collapsed as in HTML. */
const FIXED_SPACE = '\u00a0';
const OMISSION = '[…]';
const EMOJI_CLASS = /\bemoji-([0-9a-f]{4,5}(?:-[0-9a-f]{4,5}){0,15})\b/;

/** `renderMarkdown` makes less of 10,000 characters. Earlier releases stored longer HTML. */
const MAX_HTML_LENGTH = 250_000;

/**
 * Converts rendered Markdown to plain text, as a notification shows it: a line for each block, the header of a
 * spoiler, an emoji or the name of a custom one, a formula as it was written. Quotes are left out, unless the message has no other text.
 *
 * Stops soon after `limit` characters. Reads at most 250,000 characters of the HTML, in linear time.
 */
export function plainTextOf(html: string, limit = Number.POSITIVE_INFINITY): string {
  const lines = new LineWriter(limit);
  writeAll(withoutQuotes(parseHtml(html.slice(0, MAX_HTML_LENGTH))), lines);
  return lines.text.replaceAll(FIXED_SPACE, ' ');
}

/** Parses HTML to a tree, without scripts and styles. */
function parseHtml(html: string): readonly HtmlNode[] {
  const root: OpenElement = { tag: '', attributes: {}, children: [] };
  const open: OpenElement[] = [];
  const add = (node: HtmlNode) => (open.at(-1) ?? root).children.push(node);
  // Uses the sanitizer as a parser, and ignores its result.
  sanitize()(html, {
    allowedTags: [],
    allowedAttributes: false,
    onOpenTag: (tag, attributes) => {
      const element: OpenElement = { tag, attributes: { ...attributes }, children: [] };
      add(element);
      open.push(element);
    },
    onCloseTag: () => void open.pop(),
    textFilter: (text) => {
      add(text.replaceAll(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity));
      return '';
    },
  });
  return root.children;
}

/** Replaces each run of quotes and their attributions by an ellipsis, if other text remains. */
function withoutQuotes(nodes: readonly HtmlNode[]): readonly HtmlNode[] {
  const blocks = nodes.filter((node) => typeof node !== 'string' || node.trim() !== '');
  const areQuoted = blocks.map(
    (node, index) => isQuote(node) || (isAttribution(node) && isQuote(blocks[index + 1])),
  );
  if (areQuoted.every(Boolean)) return blocks;
  return blocks.flatMap((node, index) => {
    if (areQuoted[index] !== true) return [node];
    return areQuoted[index - 1] === true ? [] : [paragraph(OMISSION)];
  });
}

const paragraph = (text: string): HtmlElement => ({ tag: 'p', attributes: {}, children: [text] });

const isQuote = (node: HtmlNode | undefined): boolean =>
  typeof node === 'object' && node.tag === 'blockquote';

/** Whether the paragraph introduces a quote as clients do: a name, a link to the message, a colon. */
function isAttribution(node: HtmlNode): boolean {
  if (typeof node === 'string' || node.tag !== 'p') return false;
  const parts = node.children.filter((part) => typeof part !== 'string' || part.trim() !== '');
  const [name, link, colon] = parts;
  return (
    parts.length === 3 &&
    typeof name === 'object' &&
    hasClass(name, 'user-mention') &&
    typeof link === 'object' &&
    link.tag === 'a' &&
    typeof colon === 'string' &&
    colon.trim() === ':'
  );
}

function writeAll(nodes: readonly HtmlNode[], lines: LineWriter): void {
  for (const node of nodes) {
    if (lines.isFull) return;
    write(node, lines);
  }
}

function write(node: HtmlNode, lines: LineWriter): void {
  if (typeof node === 'string') return lines.write(node.replaceAll(/[ \t\r\n]+/g, ' '));
  if (hasClass(node, 'spoiler-block')) return onOwnLine(lines, () => writeSpoiler(node, lines));
  if (hasClass(node, 'katex')) return writeFormula(node, lines);
  if (hasClass(node, 'emoji')) return writeEmoji(node, lines);
  switch (node.tag) {
    case 'br':
      return lines.endLine();
    case 'img':
      return lines.write(node.attributes['alt'] ?? '');
    case 'audio':
      return lines.write(node.attributes['title'] ?? '');
    case 'pre':
      return onOwnLine(lines, () => lines.write(sourceOf(node).replaceAll(' ', FIXED_SPACE)));
    case 'blockquote':
      return lines.quote(() => writeAll(node.children, lines));
    case 'ul':
      return lines.list(() => writeAll(node.children, lines));
    case 'ol':
      return lines.list(() => writeNumbered(node, lines));
    case 'li':
      return lines.item('•', () => writeAll(node.children, lines));
    default:
      return writeElement(node, lines);
  }
}

function writeElement(node: HtmlElement, lines: LineWriter): void {
  if (BLOCKS.has(node.tag)) return onOwnLine(lines, () => writeAll(node.children, lines));
  writeAll(node.children, lines);
  if (CELLS.has(node.tag)) lines.write(' ');
}

function onOwnLine(lines: LineWriter, writeContent: () => void): void {
  lines.endLine();
  writeContent();
  lines.endLine();
}

function writeNumbered({ attributes, children }: HtmlElement, lines: LineWriter): void {
  let number = Number(attributes['start'] ?? 1);
  for (const item of children) {
    if (lines.isFull) return;
    if (typeof item === 'string') continue;
    lines.item(`${number}.`, () => writeAll(item.children, lines));
    number += 1;
  }
}

function writeSpoiler({ children }: HtmlElement, lines: LineWriter): void {
  const header = children.find(
    (child) => typeof child === 'object' && hasClass(child, 'spoiler-header'),
  );
  const title = new LineWriter(Number.POSITIVE_INFINITY);
  if (typeof header === 'object') writeAll(header.children, title);
  lines.write(`${title.text} (…)`.trim());
}

function writeFormula(element: HtmlElement, lines: LineWriter): void {
  const source = annotationOf(element);
  if (source === null) writeAll(element.children, lines);
  else lines.write(`$$${source}$$`);
}

/** Writes the characters of an emoji of Unicode, and the name of any other. */
function writeEmoji(element: HtmlElement, lines: LineWriter): void {
  const [, code] = EMOJI_CLASS.exec(element.attributes['class'] ?? '') ?? [];
  const points = code?.split('-').map((point) => Number.parseInt(point, 16));
  if (points !== undefined) lines.write(String.fromCodePoint(...points));
  else lines.write(element.attributes['alt'] ?? sourceOf(element));
}

function annotationOf(element: HtmlElement): string | null {
  if (element.tag === 'annotation') return sourceOf(element);
  for (const child of element.children) {
    const found = typeof child === 'object' ? annotationOf(child) : null;
    if (found !== null) return found;
  }
  return null;
}

/** The text in an element, with its white space. */
const sourceOf = ({ children }: HtmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : sourceOf(child))).join('');

const hasClass = ({ attributes }: HtmlElement, name: string): boolean =>
  attributes['class']?.split(' ').includes(name) === true;
