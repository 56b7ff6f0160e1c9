import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { isMessageId, isRowId } from '#platform/contracts';

/** The name and the help of a command. */
interface Introduction {
  /** The name and the arguments in the syntax of commander: `list <user>`. */
  readonly usage: string;
  readonly description: string;
  /** Complete command lines without the name of the program, each with its effect. */
  readonly examples: readonly (readonly [commandLine: string, meaning: string])[];
  /** Additional help text. */
  readonly remarks?: string;
}

/** Adds a command that does work: it has the option `--json`, and its help shows examples. */
export function leafCommand(
  parent: Command,
  { usage, description, examples, remarks }: Introduction,
): Command {
  const lines = examples.flatMap(([line, meaning]) => [`  # ${meaning}`, `  carillon ${line}`]);
  const help = [...(remarks === undefined ? [] : [remarks, '']), 'Examples:', ...lines];
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', `\n${help.join('\n')}`);
}

/** The option of a command with a user: the organisation of the user. */
export const organisationOption = [
  '-o, --organisation <subdomain>',
  "the organisation of an address that several accounts have: its subdomain, '' for the one at the root",
] as const;

/** Parses the id of a row. */
export function parseRowId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && isRowId(id)) return id;
  throw new InvalidArgumentError('Expected an id, a whole number.');
}

/** Parses the id of a message. */
export function parseMessageId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && isMessageId(id)) return id;
  throw new InvalidArgumentError('Expected an id, a whole number.');
}

const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** Parses a day, which begins in UTC, or a time with its offset from UTC, so that it is the same on every host. */
export function parseTime(text: string): Date {
  if (time.safeParse(text).success) return new Date(text);
  throw new InvalidArgumentError(
    'Expected a day or a time with its offset in ISO 8601, such as 2027-01-01T00:00:00Z.',
  );
}

/** Parses a whole number within bounds. */
export const parseWholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
