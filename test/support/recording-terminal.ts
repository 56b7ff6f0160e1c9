import type { Terminal } from '../../apps/cli/src/terminal.js';

/** A terminal that records the output and scripts the input. */
export class RecordingTerminal implements Terminal {
  readonly printed: string[] = [];
  readonly noted: string[] = [];
  readonly asked: string[] = [];

  constructor(
    private readonly person: {
      /** The answer to every question; undefined makes the terminal non-interactive. */
      readonly says?: string;
      /** The standard input. */
      readonly input?: string;
    } = {},
  ) {}

  get isInteractive(): boolean {
    return this.person.says !== undefined;
  }

  /** The standard output. */
  get output(): string {
    return this.printed.join('\n');
  }

  /** The standard error. */
  get remarks(): string {
    return this.noted.join('\n');
  }

  print(text: string): void {
    this.printed.push(text);
  }

  note(text: string): void {
    this.noted.push(text);
  }

  show(): void {
    // Progress is not recorded.
  }

  async ask(question: string): Promise<string> {
    this.asked.push(question);
    return this.person.says ?? '';
  }

  async readInput(): Promise<string> {
    return this.person.input ?? '';
  }
}
