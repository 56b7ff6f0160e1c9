import { describe, expect, it } from '@jest/globals';
import { tableOf } from './table.js';

describe(tableOf.name, () => {
  it('prints one line per row and a dash for an empty cell', () => {
    const lines = tableOf(
      ['id', 'app', 'reached'],
      [
        [7, null, true],
        [8, 'org.example', false],
      ],
    ).split('\n');
    expect(lines.filter((line) => line.includes('│')).map(cellsOf)).toEqual([
      ['id', 'app', 'reached'],
      ['7', '-', 'yes'],
      ['8', 'org.example', 'no'],
    ]);
  });

  it('removes control characters', () => {
    const table = tableOf(['reason'], [['\u001B[2Jgone\r\nrow']]);
    expect(table).not.toContain('\u001B');
    expect(table).not.toContain('\r');
    expect(table).toContain('gone');
    expect(table.split('\n')).toHaveLength(5);
  });
});

const cellsOf = (line: string) =>
  line
    .split('│')
    .slice(1, -1)
    .map((cell) => cell.trim());
