import { type Command, InvalidArgumentError } from 'commander';
import { isRowId } from '#contracts';

/** How a command introduces itself. */
interface Introduction {
  /** Its name and arguments, as commander writes them: `list <user>`. */
  readonly usage: string;
  readonly description: string;
  /** Whole command lines without the program's name, each with what it does. */
  readonly examples: readonly (readonly [commandLine: string, meaning: string])[];
  /** Whatever else one should know. */
  readonly remarks?: string;
}

/** Adds a command that does something: it takes `--json`, and its help teaches by example. */
export function leafCommand(
  parent: Command,
  { usage, description, examples, remarks }: Introduction,
): Command {
  const lines = examples.flatMap(([line, meaning]) => [`  # ${meaning}`, `  carillon ${line}`]);
  const help = [...(remarks === undefined ? [] : [remarks, '']), 'Examples:', ...lines];
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'answer with one JSON object, for scripts')
    .addHelpText('after', `\n${help.join('\n')}`);
}

/** The option by which a command that names a user names the organisation as well. */
export const organisationOption = [
  '-o, --organisation <subdomain>',
  "the organisation's subdomain, '' for the one at the root: for an address that several have",
] as const;

/** Reads an id of a row. */
export function parseRowId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && isRowId(id)) return id;
  throw new InvalidArgumentError('Expected an id, a whole number.');
}

/** Reads a whole number within bounds. */
export const parseWholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };

/** Reads several ids, as arguments that may be repeated are given. */
export const collectRowIds = (text: string, before: readonly number[] = []): number[] => [
  ...before,
  parseRowId(text),
];
