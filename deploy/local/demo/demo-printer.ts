import type { Progress } from '../command.js';

const MARGIN = '   ';
const LONGEST_LINE = 240;
/** A longer response is printed with one line per member. */
const LONGEST_ANSWER = 110;
/** Secrets: only their first characters are printed. */
const secretNames = /^(?:token|api_key|password)$/;
const SHOWN_CHARACTERS = 6;

/** Prints the demonstration. */
export class DemoPrinter {
  #section = 0;

  constructor(private readonly progress: Progress) {}

  title(text: string): void {
    this.#print('', this.progress.paint('bold', text));
  }

  section(title: string, explanation: string): void {
    this.#section += 1;
    const number = this.progress.paint('cyan', String(this.#section));
    this.#print('', `${number}  ${this.progress.paint('bold', title)}`);
    this.say(explanation);
  }

  say(text: string): void {
    for (const line of text.split('\n')) this.#print(MARGIN + this.progress.paint('dim', line));
  }

  request(
    actor: string,
    [method, path]: readonly [method: string, path: string],
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const shown = [
      ...Object.entries(fields).map(([name, value]) => `${name}=${shownValue(name, value)}`),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    const line = `${method} ${path}  ${shown.join('  ')}`.trimEnd();
    this.#print('', `${MARGIN}${this.progress.paint('yellow', '→')} ${actor}: ${line}`);
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

  /** The content of a screen. */
  screen(title: string, lines: readonly string[]): void {
    this.#print('', `${MARGIN}${this.progress.paint('bold', title)}`);
    for (const line of lines) {
      this.#print(`${MARGIN}${this.progress.paint('cyan', '│')} ${cut(line)}`);
    }
  }

  /** A step with the expected result. */
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

/** The first characters of a secret, such as `3f2a91…`. */
export const shortened = (secret: string): string =>
  secret.length <= SHOWN_CHARACTERS ? secret : `${secret.slice(0, SHOWN_CHARACTERS)}…`;

/** A response as JSON with shortened secrets. */
export const withoutSecrets = (body: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(body, (name, value: unknown) =>
    typeof value === 'string' ? shownValue(name, value) : value,
  );

const shownValue = (name: string, value: string): string =>
  secretNames.test(name) ? shortened(value) : value;

const cut = (line: string): string =>
  line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;

/** A step of the demonstration had an unexpected result. */
export class DemoMismatch extends Error {
  override readonly name = 'DemoMismatch';

  constructor(
    /** The expected result. */
    readonly expected: string,
    /** The actual result. */
    readonly seen: string,
  ) {
    super(`Expected: ${expected}\nSeen:     ${seen}`);
  }
}
