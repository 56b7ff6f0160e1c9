import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import { ruleNamed } from './parser-rules.js';

const GREATER_THAN = 0x3e;
const LIST_MARKER = /(?:[*+-]|\d{1,9}[.)])(?: +|$)/my;

/** Columns that nest a list item in the item above. */
const NESTING = 2;

/** A list item above a line. */
interface OpenItem {
  /** Its level in the source: its written indentation, in steps. */
  readonly level: number;
  /** The column of its content. */
  readonly content: number;
}

/** The lines with list items that are nested by their indentation. */
const nestedItems = new WeakMap<StateBlock, Set<number>>();

/** The differences of blocks from CommonMark: two spaces nest a list, and all bullets belong to one list. */
export function blocks(parser: MarkdownIt): void {
  parser.block.ruler.disable(['lheading', 'reference', 'html_block']);
  const { State } = parser.block;
  parser.block.State = class extends State {
    constructor(...given: ConstructorParameters<typeof State>) {
      super(...given);
      raiseNestedLines(this);
    }
  };
  keepTrailingSpaces(parser);
  ignoreEmptyQuotes(parser);
  nestAnyNumber(parser);
  parser.core.ruler.after('block', 'one_list_of_bullets', (state) => {
    state.tokens = withoutListBreaks(state.tokens);
  });
  // The renderer would insert a line break between the text of an item and a list in the item.
  for (const type of ['bullet_list_open', 'ordered_list_open']) {
    parser.renderer.rules[type] = (tokens, index, _options, _environment, renderer) => {
      const token = tokens[index];
      return token === undefined ? '' : `<${token.tag}${renderer.renderAttrs(token)}>\n`;
    };
  }
}

/**
 * Moves lines that are indented by two spaces for each list around them to the column that CommonMark demands: that of
 * the text of the item. Only the computed columns change, not the source.
 */
function raiseNestedLines(state: StateBlock): void {
  const nested = new Set<number>();
  nestedItems.set(state, nested);
  let items: OpenItem[] = [];
  let isAfterEmpty = false;
  for (let line = 0; line < state.lineMax; line += 1) {
    if (state.isEmpty(line)) {
      isAfterEmpty = true;
      continue;
    }
    const indentation = state.sCount[line] ?? 0;
    const level = Math.floor(indentation / NESTING);
    const marker = markerLengthAt(state, line);
    if (level === 0 && marker === 0 && isAfterEmpty) items = [];
    isAfterEmpty = false;
    const above = items.findLast((item) => item.level < level);
    const column = Math.max(indentation, above?.content ?? 0);
    if (items.length > 0) state.sCount[line] = column;
    if (marker === 0 || (items.length === 0 && indentation > 3)) continue;
    items = items.filter((item) => item.level < level);
    if (items.length > 0) nested.add(line);
    items.push({ level: Math.min(level, items.length), content: column + marker });
  }
}

/** The length of the list marker and the spaces behind it at the start of a line; 0 without a marker. */
function markerLengthAt(state: StateBlock, line: number): number {
  LIST_MARKER.lastIndex = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const [marker = ''] = LIST_MARKER.exec(state.src) ?? [];
  return marker.length;
}

/** Keeps white space at the end of paragraphs. */
function keepTrailingSpaces(parser: MarkdownIt): void {
  const paragraph = ruleNamed(parser.block.ruler, 'paragraph');
  parser.block.ruler.at('paragraph', (state, startLine, endLine, isSilent) => {
    const isFound = paragraph(state, startLine, endLine, isSilent);
    const text = state.tokens.at(-2);
    if (isFound && text !== undefined) {
      text.content = state.getLines(startLine, state.line, state.blkIndent, false).trimStart();
    }
    return isFound;
  });
}

/** Shows the mark of a quote without content as text. */
function ignoreEmptyQuotes(parser: MarkdownIt): void {
  const quote = ruleNamed(parser.block.ruler, 'blockquote');
  parser.block.ruler.at(
    'blockquote',
    (state, startLine, endLine, isSilent) => {
      const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      if (state.src.charCodeAt(start) !== GREATER_THAN) return false;
      const isLast = startLine + 1 >= endLine || state.isEmpty(startLine + 1);
      const isEmpty = state.src.slice(start + 1, state.eMarks[startLine]).trim() === '';
      if (isLast && isEmpty) return false;
      return quote(state, startLine, endLine, isSilent);
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

/** Lets a nested list start with any number, also directly below text. */
function nestAnyNumber(parser: MarkdownIt): void {
  const list = ruleNamed(parser.block.ruler, 'list');
  const nest: typeof list = (state, startLine, endLine, isSilent) => {
    const offset = (state.sCount[startLine] ?? 0) - state.blkIndent;
    const isNested = nestedItems.get(state)?.has(startLine) === true && offset >= 0 && offset < 4;
    return (isSilent && isNested) || list(state, startLine, endLine, isSilent);
  };
  parser.block.ruler.at('list', nest, { alt: ['paragraph', 'reference', 'blockquote'] });
}

/** Joins lists that only a change of the bullet divides. */
function withoutListBreaks(tokens: readonly Token[]): Token[] {
  const areJoined = (index: number): boolean =>
    tokens[index]?.type === 'bullet_list_close' && tokens[index + 1]?.type === 'bullet_list_open';
  return tokens.filter((_, index) => !areJoined(index) && !areJoined(index - 1));
}
