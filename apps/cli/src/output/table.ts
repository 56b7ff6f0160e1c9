import Table from 'cli-table3';

/** A value of a cell; null is shown as a dash. */
type Cell = string | number | boolean | null;

/** Control characters, which could move the cursor or change the colours of a terminal. */
const CONTROL = /\p{C}/gu;

/** A text table with a line below the headings. */
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
