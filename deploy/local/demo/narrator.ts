import type { Progress } from '../command.js';

const MARGIN = '   ';
const LONGEST_LINE = 240;
/** A longer answer is shown with one line for each of its members. */
const LONGEST_ANSWER = 110;
/** Values that give access: enough of them is shown to tell one from another. */
const secretNames = /^(?:token|api_key|password)$/;
const SHOWN_CHARACTERS = 6;

/** Tells the demonstration as a text that a person reads along. */
export class Narrator {
  #chapter = 0;

  constructor(private readonly progress: Progress) {}

  title(text: string): void {
    this.#print('', this.progress.paint('bold', text));
  }

  chapter(title: string, explanation: string): void {
    this.#chapter += 1;
    const number = this.progress.paint('cyan', String(this.#chapter));
    this.#print('', `${number}  ${this.progress.paint('bold', title)}`);
    this.say(explanation);
  }

  /** An explanation in prose. */
  say(text: string): void {
    for (const line of text.split('\n')) this.#print(MARGIN + this.progress.paint('dim', line));
  }

  request(
    who: string,
    [method, path]: readonly [method: string, path: string],
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const shown = [
      ...Object.entries(fields).map(([name, value]) => `${name}=${shownValue(name, value)}`),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    const line = `${method} ${path}  ${shown.join('  ')}`.trimEnd();
    this.#print('', `${MARGIN}${this.progress.paint('yellow', '→')} ${who}: ${line}`);
  }

  answer(status: number, body: Readonly<Record<string, unknown>>): void {
    const arrow = this.progress.paint(status < 400 ? 'green' : 'magenta', '←');
    const members = Object.entries(body).map(([name, value]) => {
      const shown = typeof value === 'string' ? shownValue(name, value) : value;
      return `${JSON.stringify(name)}: ${JSON.stringify(shown)}`;
    });
    const isLong = members.join(', ').length > LONGEST_ANSWER;
    const text = members.map(cut).join(isLong ? `,\n${MARGIN}         ` : ', ');
    this.#print(`${MARGIN}${arrow} ${status} { ${text} }`);
  }

  /** An answer that is a file of text. */
  fileAnswer(status: number, type: string, text: string): void {
    const arrow = this.progress.paint(status < 400 ? 'green' : 'magenta', '←');
    this.#print(`${MARGIN}${arrow} ${status} ${type}: ${cut(JSON.stringify(text))}`);
  }

  /** A command as it is typed, and what it prints. */
  command(line: string, output: readonly string[]): void {
    this.screen(`$ ${line}`, output);
  }

  /** Something that a screen shows. */
  screen(title: string, lines: readonly string[]): void {
    this.#print('', `${MARGIN}${this.progress.paint('bold', title)}`);
    for (const line of lines) {
      this.#print(`${MARGIN}${this.progress.paint('cyan', '│')} ${cut(line)}`);
    }
  }

  /** A step that was seen to happen. */
  seen(text: string): void {
    this.#print(`${MARGIN}${this.progress.paint('green', '✔')} ${text}`);
  }

  failed(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    this.#print('', `${MARGIN}${this.progress.paint('red', '✖')} ${first}`);
    for (const line of rest) this.#print(`${MARGIN}  ${line}`);
  }

  #print(...lines: string[]): void {
    for (const line of lines) this.progress.print(line);
  }
}

/** The beginning of a secret, such as `3f2a91…`. */
export const shortened = (secret: string): string =>
  secret.length <= SHOWN_CHARACTERS ? secret : `${secret.slice(0, SHOWN_CHARACTERS)}…`;

/** An answer as JSON in which nothing gives access. */
export const withoutSecrets = (body: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(body, (name, value: unknown) =>
    typeof value === 'string' ? shownValue(name, value) : value,
  );

const shownValue = (name: string, value: string): string =>
  secretNames.test(name) ? shortened(value) : value;

const cut = (line: string): string =>
  line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
