import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';

/** The input and output of a command. */
export interface Terminal {
  /** A person can answer questions. */
  readonly isInteractive: boolean;
  /** Prints lines to the standard output, for example for a script. */
  print(text: string): void;
  /** Prints lines for a person to the standard error. */
  note(text: string): void;
  /** Shows a status line that replaces the previous one; does nothing if the terminal is not interactive. */
  show(status: string): void;
  /** Asks the user a question, and resolves with the answer. */
  ask(question: string): Promise<string>;
  /** Reads the complete standard input. */
  readInput(): Promise<string>;
}

/** The terminal or the pipes of this process. */
export class ProcessTerminal implements Terminal {
  readonly isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  #isShowing = false;

  constructor() {
    // The reader of a pipe may close it, for example `head`.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  }

  print(lines: string): void {
    this.#clear();
    process.stdout.write(`${lines}\n`);
  }

  note(lines: string): void {
    this.#clear();
    process.stderr.write(`${lines}\n`);
  }

  show(status: string): void {
    if (process.stderr.isTTY !== true) return;
    this.#clear();
    process.stderr.write(status.slice(0, process.stderr.columns - 1));
    this.#isShowing = true;
  }

  async ask(question: string): Promise<string> {
    this.#clear();
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  }

  async readInput(): Promise<string> {
    return text(process.stdin);
  }

  #clear(): void {
    if (this.#isShowing) process.stderr.write('\r\u001B[K');
    this.#isShowing = false;
  }
}
