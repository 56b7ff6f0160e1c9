import Table from 'cli-table3';

/** What a cell may hold; null is shown as a dash. */
export type Cell = string | number | boolean | null;

/** What would move the cursor or colour the screen of whoever looks at it. */
const CONTROL = /\p{C}/gu;

/** A table for people, a row each, with a line beneath the headings only. */
export function tableOf(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const table = new Table({
    head: [...headings],
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => row.map(textOf)));
  return table.toString();
}

function textOf(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return String(cell).replace(CONTROL, '\uFFFD');
}
