import { type HtmlElement, type HtmlNode, htmlTree } from './html-tree.js';
import { LineWriter } from './line-writer.js';

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 div ul table tr hr'.split(' '));
const CELLS = new Set(['td', 'th']);

/** In place of a space that stays one; every other is white space of HTML. */
const FIXED_SPACE = '\u00a0';
const OMISSION = '[…]';

/** What `renderMarkdown` makes of 10,000 characters is shorter. Earlier releases stored longer HTML. */
const LONGEST_HTML = 250_000;

/**
 * What rendered Markdown says in plain text, as a notification shows it: a block is a line, a spoiler is only
 * its header, an emoji is its name and a formula its source. Quotes within other text are left out; a
 * message that is nothing but a quote is told.
 *
 * With `limit` only the beginning: at least that many characters where there are as many. Takes time in
 * proportion to the length of the HTML, of which at most 250,000 characters are read.
 */
export function plainTextOf(html: string, limit = Number.POSITIVE_INFINITY): string {
  const lines = new LineWriter(limit);
  writeAll(ownWords(htmlTree(html.slice(0, LONGEST_HTML))), lines);
  return lines.text.replaceAll(FIXED_SPACE, ' ');
}

/** Runs of quotes, each with the line that tells whose it is, give way to other text. */
function ownWords(nodes: readonly HtmlNode[]): readonly HtmlNode[] {
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

/** As clients introduce a quote: somebody’s name, a link to what they said, a colon. */
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
  switch (node.tag) {
    case 'br':
      return lines.endLine();
    case 'img':
      return lines.write(node.attributes['alt'] ?? '');
    case 'pre':
      return onOwnLine(lines, () => lines.write(sourceOf(node).replaceAll(' ', FIXED_SPACE)));
    case 'blockquote':
      return lines.quote(() => writeAll(node.children, lines));
    case 'ol':
      return writeNumbered(node, lines);
    case 'li':
      return writeItem('• ', node, lines);
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

function writeItem(mark: string, item: HtmlElement, lines: LineWriter): void {
  onOwnLine(lines, () => {
    lines.write(mark);
    writeAll(item.children, lines);
  });
}

function writeNumbered({ attributes, children }: HtmlElement, lines: LineWriter): void {
  let number = Number(attributes['start'] ?? 1);
  for (const item of children) {
    if (typeof item === 'string') continue;
    writeItem(`${number}. `, item, lines);
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
  else lines.write(source);
}

function annotationOf(element: HtmlElement): string | null {
  if (element.tag === 'annotation') return sourceOf(element);
  for (const child of element.children) {
    const found = typeof child === 'object' ? annotationOf(child) : null;
    if (found !== null) return found;
  }
  return null;
}

/** The text in an element as it stands, white space included. */
const sourceOf = ({ children }: HtmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : sourceOf(child))).join('');

const hasClass = ({ attributes }: HtmlElement, name: string): boolean =>
  attributes['class']?.split(' ').includes(name) === true;
