import { fenced } from './fence.rules.js';
import { type MessageAddress, messagePath, originalMessage } from './message-address.rules.js';
import { reportReasons, type ReportType } from './report-types.js';

/** What a message may hold, in Unicode code points. */
const LONGEST_CONTENT = 10_000;
const LONGEST_TOPIC = 60;
const TOPIC_ENDING = ' moderation';
const CUT = '\n[message truncated]';

/** How many people of a conversation are named; the rest are counted. */
const MOST_NAMED = 10;

export interface ReportedPerson {
  readonly id: number;
  readonly fullName: string;
}

/** A message as moderators are told of it. */
export interface ReportedMessage extends MessageAddress {
  readonly sender: ReportedPerson;
  readonly sentAt: Date;
  /** Markdown. */
  readonly content: string;
  readonly people: readonly ReportedPerson[] | null;
}

export interface MessageReport {
  readonly reporter: ReportedPerson;
  readonly message: ReportedMessage;
  readonly type: ReportType;
  /** May be blank. */
  readonly description: string;
}

/** The topic in which moderators talk about an account; a long name is cut. */
export const reportTopic = (fullName: string): string =>
  firstCharacters(fullName, LONGEST_TOPIC - TOPIC_ENDING.length).trimEnd() + TOPIC_ENDING;

/**
 * What moderators are told of a report: who reports what, why, and the message itself, cut where it would
 * be too long. Neither the message nor the description can end its fence, and no mention in them calls
 * anybody, since both stand in quotes.
 */
export function reportContent(report: MessageReport): string {
  const { message } = report;
  const telling = (source: string): string =>
    [
      headline(report),
      fenced('quote', reason(report)),
      fenced(`spoiler ${originalMessage(message)}`, fenced('quote', source)),
    ].join('\n');
  const whole = telling(message.content);
  return isShortEnough(whole) ? whole : longestTelling([...message.content], telling);
}

/** Tells as much of the source as there is room for; the fences around it shrink with it. */
function longestTelling(source: readonly string[], telling: (source: string) => string): string {
  const cutTo = (length: number) => telling(source.slice(0, length).join('') + CUT);
  let fits = 0;
  let tooLong = source.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (isShortEnough(cutTo(middle))) fits = middle;
    else tooLong = middle;
  }
  return cutTo(fits);
}

/** What the reporter is told when the report has gone out. */
export const confirmationContent = (message: MessageAddress, type: ReportType): string =>
  `You reported [a message](${messagePath(message)}) for ${reportReasons[type].phrase}.`;

function headline({ reporter, message }: MessageReport): string {
  const moment = message.sentAt.toISOString().replace(/\.\d+Z$/, 'Z');
  const what = `${mention(reporter)} reported a message sent by ${mention(message.sender)}`;
  return `${what}${recipients(reporter, message)} at <time:${moment}>.`;
}

/** Who got a direct message is said where it does not go without saying: it was not the reporter alone. */
function recipients(reporter: ReportedPerson, { sender, people }: ReportedMessage): string {
  if (people === null || (people.length <= 2 && reporter.id !== sender.id)) return '';
  const others = people.filter(({ id }) => id !== sender.id);
  return ` to ${listed(others.length === 0 ? [sender] : others)}`;
}

function listed(people: readonly ReportedPerson[]): string {
  const items = people.slice(0, MOST_NAMED).map(mention);
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

/** Silent: it names someone without calling them. */
const mention = ({ id, fullName }: ReportedPerson): string => `@_**${fullName}|${id}**`;

const isShortEnough = (text: string): boolean => [...text].length <= LONGEST_CONTENT;

const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('');
