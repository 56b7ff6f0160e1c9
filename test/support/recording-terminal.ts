import type { Terminal } from '../../apps/cli/src/terminal.js';

/** A terminal that remembers what was written, and answers what it was told to. */
export class RecordingTerminal implements Terminal {
  readonly printed: string[] = [];
  readonly noted: string[] = [];
  readonly asked: string[] = [];

  constructor(
    private readonly person: {
      /** The answer to every question; there is nobody when left out. */
      readonly says?: string;
      /** What comes over the standard input. */
      readonly input?: string;
    } = {},
  ) {}

  get isInteractive(): boolean {
    return this.person.says !== undefined;
  }

  /** All that a script would read. */
  get output(): string {
    return this.printed.join('\n');
  }

  /** All that only a person would read. */
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
    // Overwritten by what comes next.
  }

  async ask(question: string): Promise<string> {
    this.asked.push(question);
    return this.person.says ?? '';
  }

  async readInput(): Promise<string> {
    return this.person.input ?? '';
  }
}
