import { type HtmlElement, type HtmlNode, htmlTree } from './html-tree.js';

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 div ul table tr hr'.split(' '));
const CELLS = new Set(['td', 'th']);

/** In place of a space that stays one; every other is white space of HTML. */
const FIXED_SPACE = '\u00a0';
const OMISSION = '[…]';

/**
 * What rendered Markdown says in plain text, as a notification shows it: a block is a line, a spoiler is only
 * its header, an emoji is its name and a formula its source. Quotes within other text are left out; a
 * message that is nothing but a quote is told.
 */
export const plainTextOf = (html: string): string =>
  tidied(ownWords(htmlTree(html)).map(textOf).join('')).replaceAll(FIXED_SPACE, ' ');

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

function textOf(node: HtmlNode): string {
  if (typeof node === 'string') return node.replaceAll(/[ \t\r\n]+/g, ' ');
  if (hasClass(node, 'spoiler-block')) return line(spoilerText(node));
  if (hasClass(node, 'katex')) return annotationOf(node) ?? within(node);
  switch (node.tag) {
    case 'br':
      return '\n';
    case 'img':
      return node.attributes['alt'] ?? '';
    case 'pre':
      return line(sourceOf(node).replaceAll(' ', FIXED_SPACE));
    case 'blockquote':
      return line(tidied(within(node)).replaceAll(/^/gm, '> '));
    case 'ol':
      return line(numbered(node));
    case 'li':
      return line(`• ${within(node)}`);
    default:
      if (CELLS.has(node.tag)) return `${within(node)} `;
      return BLOCKS.has(node.tag) ? line(within(node)) : within(node);
  }
}

const within = ({ children }: HtmlElement): string => children.map(textOf).join('');

const line = (text: string): string => `\n${text}\n`;

/** Without white space that HTML does not show, and without empty lines. */
const tidied = (text: string): string =>
  text
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/\s*\n */g, '\n')
    .replaceAll(/^[ \n]+|\s+$/g, '');

function numbered({ attributes, children }: HtmlElement): string {
  const items = children.filter((child) => typeof child === 'object');
  const first = Number(attributes['start'] ?? 1);
  return items.map((item, index) => line(`${first + index}. ${within(item)}`)).join('');
}

function spoilerText({ children }: HtmlElement): string {
  const header = children.find(
    (child) => typeof child === 'object' && hasClass(child, 'spoiler-header'),
  );
  const title = typeof header === 'object' ? tidied(within(header)) : '';
  return `${title} (…)`.trim();
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
