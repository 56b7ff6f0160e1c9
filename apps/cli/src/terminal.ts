import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';

/** Where a command is read and answered. */
export interface Terminal {
  /** Whether a person sits before it, who can be asked. */
  readonly isInteractive: boolean;
  /** What was asked for, whole lines: what a script reads. */
  print(text: string): void;
  /** What a person should know besides: goes where no script reads. */
  note(text: string): void;
  /** Shows how work goes on in a line that the next one takes the place of; nothing without a person. */
  show(status: string): void;
  /** Asks a person, and resolves with the answer. */
  ask(question: string): Promise<string>;
  /** All that is sent to the standard input. */
  readInput(): Promise<string>;
}

/** The terminal, or the pipes, of this process. */
export class ProcessTerminal implements Terminal {
  readonly isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  #isShowing = false;

  constructor() {
    // Whoever read along may leave (`carillon … | head`).
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
