/** An example of a page: a shell script, and the answer that follows it, if any. */
export interface Example {
  /** The page, the line and the first command, as the title of a test. */
  readonly title: string;
  readonly script: string;
  readonly answer: { readonly kind: 'json' | 'text'; readonly text: string } | null;
}

const SCRIPT =
  /^(?<indent> *)```sh\n(?<script>[\s\S]*?)\n *```(?:\n\n *```(?<kind>json|text)\n(?<answer>[\s\S]*?)\n *```)?/gm;

/** The examples of a page that call `curl` without `…`. An answer follows its script without a text in between. */
export const examplesOf = (page: string, content: string): Example[] =>
  [...content.matchAll(SCRIPT)].flatMap(({ index, groups = {} }) => {
    const { indent = '', script = '', kind, answer = '' } = groups;
    const line = content.slice(0, index).split('\n').length + 1;
    if (!/^ *curl /m.test(script) || script.includes('…')) return [];
    const lines = script.split('\n').map((text) => text.slice(indent.length));
    return [
      {
        title: `${page}:${line}: ${lines[0] ?? ''}`,
        script: lines.join('\n'),
        answer: kind === undefined ? null : { kind: kind as 'json' | 'text', text: answer },
      },
    ];
  });

/** Parts of texts that differ from run to run: ids of files with their folders, keys and signatures, times, dates. */
const CHANGING =
  /(?:\d+\/[\da-f]+\/)?[\w-]{20,}|\d{10,}|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|http:\/\/127\.0\.0\.1:\d+/g;

/** Smaller numbers are ids and counts, which are the same in each run. */
const LEAST_TIME = 1_000_000_000;

/** Compares documented answers with those of a run, and remembers what this run has in place of changing parts. */
export class Comparison {
  readonly #replacements = new Map<string, string>();

  /** A text of the page, with the parts of this run. */
  ofThisRun(text: string): string {
    let replaced = text;
    for (const [documented, actual] of this.#replacements) {
      replaced = replaced.replaceAll(documented, actual);
    }
    return replaced;
  }

  /** Uses `actual` in place of a documented text from now on. */
  replace(documented: string, actual: string): void {
    this.#replacements.set(documented, actual);
  }

  /**
   * The differences between a documented answer and the output of its example. JSON may be a part of the last answer; a
   * text is some lines of the output. Without a documented answer all requests must succeed.
   */
  differences(documented: Example['answer'], output: string): unknown[] {
    if (documented?.kind === 'text') {
      const lines = output.split(/\r?\n/);
      return documented.text
        .split('\n')
        .filter((line) => !lines.some((other) => this.#matchesText(line, other.trimEnd())));
    }
    const answers = answersIn(output);
    if (documented === null) {
      const refused = answers.filter((answer) => answer['result'] !== 'success');
      return answers.length === 0 ? [output] : refused;
    }
    const expected: unknown = JSON.parse(documented.text);
    const actual = answers.at(-1);
    return this.#isIn(expected, actual) ? [] : [{ expected, actual }];
  }

  #isIn(documented: unknown, actual: unknown): boolean {
    if (this.#matches(documented, actual)) return true;
    return (
      typeof actual === 'object' &&
      actual !== null &&
      Object.values(actual).some((part) => this.#isIn(documented, part))
    );
  }

  #matches(documented: unknown, actual: unknown): boolean {
    if (typeof documented === 'string') {
      return typeof actual === 'string' && this.#matchesText(documented, actual);
    }
    if (typeof documented === 'number') {
      return documented === actual || (documented > LEAST_TIME && Number(actual) > LEAST_TIME);
    }
    if (typeof documented !== 'object' || documented === null) return documented === actual;
    if (typeof actual !== 'object' || actual === null) return false;
    if (Array.isArray(documented))
      return Array.isArray(actual) && this.#listMatches(documented, actual);
    return Object.entries(documented).every(
      ([name, value]) =>
        name in actual && this.#matches(value, actual[name as keyof typeof actual]),
    );
  }

  /** Of a list of objects the page may show some. */
  #listMatches(documented: readonly unknown[], actual: readonly unknown[]): boolean {
    if (documented.some((item) => typeof item === 'object')) {
      return documented.every((item) => actual.some((other) => this.#matches(item, other)));
    }
    return (
      documented.length === actual.length &&
      documented.every((item, index) => this.#matches(item, actual[index]))
    );
  }

  /** `…` stands for any text. */
  #matchesText(documented: string, actual: string): boolean {
    const parts = documented.split('…');
    if (parts.length > 1) return parts.every((part) => actual.includes(part));
    if (fixedPartsOf(documented) !== fixedPartsOf(actual)) return false;
    const found = actual.match(CHANGING);
    documented
      .match(CHANGING)
      ?.forEach((part, index) => this.replace(part, found?.[index] ?? part));
    return true;
  }
}

const fixedPartsOf = (text: string): string => text.replaceAll(CHANGING, '…');

/** The answers in JSON, each in a line of its own. */
export const answersIn = (output: string): Record<string, unknown>[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
