import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import { ruleNamed } from './parser-rules.js';

const GREATER_THAN = 0x3e;
const LIST_MARKER = /(?:[*+-]|\d{1,9}\.)(?: +|$)/my;
const NUMBER_IN_PARENTHESIS = /\d{1,9}\)/y;

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
  quoteBelowEmptyMarks(parser);
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
    items.push({ level, content: column + marker });
  }
}

/** The length of the list marker and the spaces behind it at the start of a line; 0 without a marker. */
function markerLengthAt(state: StateBlock, line: number): number {
  LIST_MARKER.lastIndex = startOf(state, line);
  const [marker = ''] = LIST_MARKER.exec(state.src) ?? [];
  return marker.length;
}

/** The position of the first character of a line that is not white space. */
const startOf = (state: StateBlock, line: number): number =>
  (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);

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

/** Shows quote marks without content as text. Text directly below such marks is in the quote, as below other content. */
function quoteBelowEmptyMarks(parser: MarkdownIt): void {
  const quote = ruleNamed(parser.block.ruler, 'blockquote');
  parser.block.ruler.at(
    'blockquote',
    (state, startLine, endLine, isSilent) => {
      const first = endOfEmptyMarks(state, startLine, endLine);
      if (first === startLine) return quote(state, startLine, endLine, isSilent);
      if (isEndOfText(state, first, endLine)) return false;
      if (beginsBlock(state, first, endLine)) return quote(state, startLine, endLine, isSilent);
      if (!isSilent) pushQuotedText(state, first, endLine);
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

/** Consecutive lines with nothing but a quote mark. */
interface EmptyMarks {
  readonly start: number;
  readonly end: number;
  readonly endLine: number;
  readonly level: number;
}

/** The marks that were found last. The parser asks for each line of them, and each answer needs them all. */
const emptyMarks = new WeakMap<StateBlock, EmptyMarks>();

/** The first line from `line` that is more or less than a quote mark. */
function endOfEmptyMarks(state: StateBlock, line: number, endLine: number): number {
  const known = emptyMarks.get(state);
  const isKnown = known?.endLine === endLine && known.level === state.level;
  if (isKnown && known.start <= line && line < known.end) return known.end;
  let end = line;
  while (end < endLine && isEmptyMark(state, end)) end += 1;
  emptyMarks.set(state, { start: line, end, endLine, level: state.level });
  return end;
}

function isEmptyMark(state: StateBlock, line: number): boolean {
  const offset = (state.sCount[line] ?? 0) - state.blkIndent;
  const start = startOf(state, line);
  if (offset < 0 || offset > 3 || state.src.charCodeAt(start) !== GREATER_THAN) return false;
  return state.src.slice(start + 1, state.eMarks[line]).trim() === '';
}

const isEndOfText = (state: StateBlock, line: number, endLine: number): boolean =>
  line >= endLine || state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent;

/** Whether a line begins a block other than a paragraph. */
const beginsBlock = (state: StateBlock, line: number, endLine: number): boolean =>
  state.md.block.ruler.getRules('blockquote').some((rule) => rule(state, line, endLine, true));

/** Renders the text from `line` on as a quote, and moves the parser behind it. */
function pushQuotedText(state: StateBlock, line: number, endLine: number): void {
  let end = line + 1;
  while (!isEndOfText(state, end, endLine) && !beginsBlock(state, end, endLine)) end += 1;
  state.push('blockquote_open', 'blockquote', 1);
  state.md.block.tokenize(state, line, end);
  state.push('blockquote_close', 'blockquote', -1);
  state.line = end;
}

/** Lets a nested list start with any number, also directly below text. Only a dot makes a number the mark of an item. */
function nestAnyNumber(parser: MarkdownIt): void {
  const list = ruleNamed(parser.block.ruler, 'list');
  const nest: typeof list = (state, startLine, endLine, isSilent) => {
    NUMBER_IN_PARENTHESIS.lastIndex = startOf(state, startLine);
    if (NUMBER_IN_PARENTHESIS.test(state.src)) return false;
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
