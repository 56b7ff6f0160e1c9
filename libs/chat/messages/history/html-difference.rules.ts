/** The work of one comparison, in pairs of parts. Beyond it, everything between the common beginning and end has changed. */
const MAX_PAIRS = 100_000;

/** Tags, and words with the white space before them. A rendered message has `<` and `>` only around tags. */
const PART = /<[^<>]*>?|\s*[^<\s]+|\s+/gu;

const isTag = (part: string): boolean => part.startsWith('<');

type Change = 'same' | 'inserted' | 'deleted';

interface Step {
  readonly change: Change;
  readonly part: string;
}

/**
 * The HTML of a message after an edit, with the inserted and the deleted texts marked by the classes that clients know.
 * Elements are those after the edit: deleted ones leave only their texts.
 */
export function htmlDifference(before: string, after: string): string {
  const steps = stepsBetween(before.match(PART) ?? [], after.match(PART) ?? []);
  let html = '';
  let open: Change = 'same';
  for (const { change, part } of steps) {
    if (isTag(part) && change === 'deleted') continue;
    const wanted = isTag(part) ? 'same' : change;
    if (wanted !== open) {
      if (open !== 'same') html += '</span>';
      if (wanted !== 'same') html += `<span class="highlight_text_${wanted}">`;
      open = wanted;
    }
    html += part;
  }
  return open === 'same' ? html : `${html}</span>`;
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [removed, added] = [before, after].map((parts) => parts.slice(start, parts.length - end));
  return [
    ...after.slice(0, start).map(same),
    ...changesBetween(removed ?? [], added ?? []),
    ...after.slice(after.length - end).map(same),
  ];
}

const same = (part: string): Step => ({ change: 'same', part });
const inserted = (part: string): Step => ({ change: 'inserted', part });
const deleted = (part: string): Step => ({ change: 'deleted', part });

/** By the longest common subsequence. */
function changesBetween(before: readonly string[], after: readonly string[]): Step[] {
  if (before.length * after.length > MAX_PAIRS) {
    return [...before.map(deleted), ...after.map(inserted)];
  }
  const lengths = commonLengths(before, after);
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const steps: Step[] = [];
  let [row, column] = [0, 0];
  for (const part of after) {
    while (row < before.length) {
      const old = before[row] ?? '';
      if (old === part || lengthAt(row + 1, column) < lengthAt(row, column + 1)) break;
      steps.push(deleted(old));
      row += 1;
    }
    const isSame = before[row] === part;
    steps.push(isSame ? same(part) : inserted(part));
    if (isSame) row += 1;
    column += 1;
  }
  return [...steps, ...before.slice(row).map(deleted)];
}

/** The lengths of the longest common subsequences of the ends of both lists, by the first part of each. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row -= 1) {
    const [current, below] = [rows[row], rows[row + 1]];
    if (current === undefined || below === undefined) continue;
    for (let column = after.length - 1; column >= 0; column -= 1) {
      current[column] =
        before[row] === after[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, current[column + 1] ?? 0);
    }
  }
  return rows;
}
