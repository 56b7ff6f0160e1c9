import { longestTexts, type NamedAccount } from '#platform/contracts';
import { fencedBlock, silentUserMention as mention } from '#platform/markdown';
import { type MessageAddress, messagePath, originalMessage } from '#chat/messages';

/** The reasons of reports, with the title for moderators and the phrase for the reporter. */
const reportReasons = {
  spam: { title: 'Spam', phrase: 'spam' },
  harassment: { title: 'Harassment', phrase: 'harassment' },
  inappropriate: { title: 'Inappropriate content', phrase: 'inappropriate content' },
  norms: { title: 'Violation of community norms', phrase: 'a violation of community norms' },
  other: { title: 'Other reason', phrase: 'another reason' },
} as const;

export type ReportType = keyof typeof reportReasons;

export const reportTypes = [
  'spam',
  'harassment',
  'inappropriate',
  'norms',
  'other',
] as const satisfies readonly ReportType[];

/** The reasons in the order in which clients offer them. */
export const reportTypeNames: readonly { readonly key: ReportType; readonly name: string }[] =
  reportTypes.map((key) => ({ key, name: reportReasons[key].title }));

/** The limits of a message, in Unicode code points. */
const LONGEST_CONTENT = longestTexts.message;
const LONGEST_TOPIC = longestTexts.topic;
const TOPIC_ENDING = ' moderation';
const CUT = '\n[message truncated]';

/** The maximum number of recipients listed by name; the others are counted. */
const MAX_NAMED = 10;

/** The parts of a message that a report shows. */
export interface ReportedMessage extends MessageAddress {
  readonly sender: NamedAccount;
  readonly sentAt: Date;
  /** Markdown. */
  readonly content: string;
  readonly people: readonly NamedAccount[] | null;
}

/** A report of a message to the moderators. */
export interface MessageReport {
  readonly reporter: NamedAccount;
  readonly message: ReportedMessage;
  readonly type: ReportType;
  /** May be blank. */
  readonly description: string;
}

/** The topic of all reports about an account; a long name is truncated. */
export const reportTopic = (fullName: string): string =>
  firstCharacters(fullName, LONGEST_TOPIC - TOPIC_ENDING.length).trimEnd() + TOPIC_ENDING;

/**
 * The message to the moderators: reporter, reason and the reported message, truncated to the limit of a message.
 * Neither the message nor the description can close its fence. Both are quoted, so mentions in them cause no notification.
 */
export function reportContent(report: MessageReport): string {
  const { message } = report;
  const contentWith = (source: string): string =>
    [
      headline(report),
      fencedBlock('quote', reason(report)),
      fencedBlock(`spoiler ${originalMessage(message)}`, fencedBlock('quote', source)),
    ].join('\n');
  const whole = contentWith(message.content);
  return isShortEnough(whole) ? whole : truncated([...message.content], contentWith);
}

/** The content with the longest prefix of the source that fits. A shorter source may also need shorter fences. */
function truncated(source: readonly string[], contentWith: (source: string) => string): string {
  const cutTo = (length: number) => contentWith(source.slice(0, length).join('') + CUT);
  // A prefix never needs longer fences than the whole source, so this length always fits and is usually the longest.
  const surplus = lengthOf(cutTo(source.length)) - LONGEST_CONTENT;
  let fits = Math.max(0, source.length - surplus);
  let tooLong = fits + 1;
  while (tooLong < source.length && isShortEnough(cutTo(tooLong))) {
    const step = 2 * (tooLong - fits);
    fits = tooLong;
    tooLong = Math.min(source.length, fits + step);
  }
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (isShortEnough(cutTo(middle))) fits = middle;
    else tooLong = middle;
  }
  return cutTo(fits);
}

/** The direct message to the reporter after the report was sent. */
export const confirmationContent = (message: MessageAddress, type: ReportType): string =>
  `You reported [a message](${messagePath(message)}) for ${reportReasons[type].phrase}.`;

function headline({ reporter, message }: MessageReport): string {
  const moment = message.sentAt.toISOString().replace(/\.\d+Z$/, 'Z');
  const what = `${mention(reporter)} reported a message sent by ${mention(message.sender)}`;
  return `${what}${recipients(reporter, message)} at <time:${moment}>.`;
}

/** The recipients of a direct message, unless the reporter was the only one. */
function recipients(reporter: NamedAccount, { sender, people }: ReportedMessage): string {
  if (people === null || (people.length <= 2 && reporter.id !== sender.id)) return '';
  const others = people.filter(({ id }) => id !== sender.id);
  return ` to ${listed(others.length === 0 ? [sender] : others)}`;
}

function listed(people: readonly NamedAccount[]): string {
  const items = people.slice(0, MAX_NAMED).map(mention);
  const unnamed = people.length - items.length;
  if (unnamed > 0) items.push(unnamed === 1 ? '1 other' : `${unnamed} others`);
  const last = items.pop() ?? '';
  if (items.length === 0) return last;
  return `${items.join(', ')}${items.length > 1 ? ',' : ''} and ${last}`;
}

function reason({ type, description }: MessageReport): string {
  const title = `**${reportReasons[type].title}**.`;
  const explanation = description.trim();
  return explanation === '' ? title : `${title} ${explanation}`;
}

const lengthOf = (text: string): number => [...text].length;

const isShortEnough = (text: string): boolean => lengthOf(text) <= LONGEST_CONTENT;

const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('');
