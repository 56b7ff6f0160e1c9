/** Collects text line by line. Drops empty lines, and white space that HTML does not show. */
export class LineWriter {
  readonly #lines: string[] = [];
  #openLine = '';
  #prefix = '';
  /** The mark of an item of which no line is written. */
  #mark = '';
  #depth = 0;
  #length = 0;

  /** The writer is full after about `limit` characters. */
  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.#length >= this.limit;
  }

  get text(): string {
    this.endLine();
    return this.#lines.join('\n');
  }

  write(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#openLine += first;
    for (const next of others) {
      this.endLine();
      this.#openLine = next;
    }
  }

  endLine(): void {
    const line = tidied(this.#openLine);
    this.#openLine = '';
    if (line !== '') this.#add(line);
  }

  /** Writes a list. A list within an item of another one is indented by two spaces. */
  list(writeItems: () => void): void {
    this.endLine();
    this.#depth += 1;
    writeItems();
    this.endLine();
    this.#depth -= 1;
  }

  /** Writes an item of a list, with its mark before its first line. */
  item(mark: string, writeContent: () => void): void {
    this.#endMark();
    this.#mark = `${'  '.repeat(Math.max(this.#depth - 1, 0))}${mark} `;
    writeContent();
    this.#endMark();
  }

  /** Prefixes each line that `writeContent` writes with `> `. An empty quote becomes one line with the mark. */
  quote(writeContent: () => void): void {
    this.#endMark();
    const outerPrefix = this.#prefix;
    const linesBefore = this.#lines.length;
    this.#prefix += '> ';
    writeContent();
    this.endLine();
    if (this.#lines.length === linesBefore) this.#add('');
    this.#prefix = outerPrefix;
  }

  /** Ends the line, and the item that has none. */
  #endMark(): void {
    this.endLine();
    if (this.#mark !== '') this.#add('');
  }

  #add(line: string): void {
    const whole = `${this.#prefix}${this.#mark}${line}`.trimEnd();
    this.#mark = '';
    this.#lines.push(whole);
    this.#length += whole.length + 1;
  }
}

// A pattern such as `\s+$` takes quadratic time on a long run of white space; these take linear time.
const tidied = (line: string): string => line.replaceAll(/ {2,}/g, ' ').replace(/^ /, '').trimEnd();
