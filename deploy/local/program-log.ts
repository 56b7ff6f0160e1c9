import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Progress } from './command.js';

const COLORS = ['cyan', 'magenta', 'yellow', 'green', 'blue'] as const;

/** Prints what programs log, each line behind the aligned and coloured name of its program. */
export class ProgramLog {
  readonly #width: number;

  constructor(
    private readonly names: readonly string[],
    private readonly progress: Progress,
  ) {
    this.#width = Math.max(...names.map((name) => name.length));
  }

  /** Prints the lines of a stream until it ends. */
  follow(name: string, stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => this.line(name, line));
  }

  line(name: string, text: string): void {
    const color = COLORS[this.names.indexOf(name) % COLORS.length] ?? 'white';
    const shown = this.progress.hasColors ? text : stripVTControlCharacters(text);
    this.progress.print(`${this.progress.paint(color, `${name.padEnd(this.#width)} │`)} ${shown}`);
  }
}
