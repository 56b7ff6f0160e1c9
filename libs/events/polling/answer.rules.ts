import { MEBIBYTE } from '#platform/contracts';
import { eventIdAt } from '#events/queues';
import type { QueueOptions } from '#events/declarations';
import { openForms, type WindowedEvent } from './windowed-event.js';

/** The most events of an answer, and its size in bytes if it has more than one. */
const MAX_EVENTS = 1000;
export const MAX_BYTES = MEBIBYTE;

/** The most items of a merged event. */
const MAX_MERGED_ITEMS = 10_000;

/** The queue of an answer. */
interface QueueOfAnswer {
  readonly id: string;
  readonly userId: number;
  readonly options: QueueOptions;
}

/** The texts of an answer. */
interface EventTexts {
  readonly texts: string[];
  /** Whether the answer may lack events of its queue. */
  readonly isFull: boolean;
  /** The size of the texts. */
  readonly bytes: number;
}

/** Events side by side that the queue gets as one. */
interface Run {
  /** It gives the id and the flags. */
  last: WindowedEvent;
  readonly bodies: Readonly<Record<string, unknown>>[];
  /** Null for an event that stays alone. */
  readonly key: string | null;
  items: number;
}

/**
 * The JSON texts of the events that a queue gets after `lastId`, in order: whole events, at most 1,000 or 1 MiB, or one
 * that is larger. The next poll gets the rest. `events` are the events for this queue, from the position of `lastId` on.
 */
export function eventTexts(
  queue: QueueOfAnswer,
  lastId: number,
  events: readonly WindowedEvent[],
): EventTexts {
  const texts: string[] = [];
  let bytes = 0;
  const undelivered = events.filter((event) => isUndelivered(event, queue.options, lastId));
  for (const run of runsOf(undelivered)) {
    for (const text of textsOf(queue, lastId, run)) {
      const bytesWith = bytes + Buffer.byteLength(text);
      const fits = texts.length < MAX_EVENTS && (bytesWith <= MAX_BYTES || texts.length === 0);
      if (!fits) return { texts, isFull: true, bytes };
      texts.push(text);
      bytes = bytesWith;
    }
  }
  // Of 1,000 events or more, only the first were found.
  const isFull = texts.length >= MAX_EVENTS || events.length >= MAX_EVENTS || bytes >= MAX_BYTES;
  return { texts, isFull, bytes };
}

/** The id of an event in an answer, which every text ends with. */
export const idOf = (text: string): number => Number(text.slice(text.lastIndexOf(':') + 1, -1));

/** Whether a form of the event has an id after `lastId`. Computes the forms only for the event of `lastId` itself. */
export const isUndelivered = (
  event: WindowedEvent,
  options: QueueOptions,
  lastId: number,
): boolean =>
  eventIdAt(event.position) > lastId ||
  eventIdAt(event.position) + event.countFor(options) - 1 > lastId;

function runsOf(events: readonly WindowedEvent[]): Run[] {
  const runs: Run[] = [];
  for (const event of events) {
    const { body } = event.event;
    const { merging } = event.type;
    const key = merging?.keyOf(body) ?? null;
    const items = merging?.sizeOf(body) ?? 0;
    const run = runs.at(-1);
    if (run !== undefined && isContinued(run, event, key, items)) {
      run.last = event;
      run.bodies.push(body);
      run.items += items;
    } else {
      runs.push({ last: event, bodies: [body], key, items });
    }
  }
  return runs;
}

const isContinued = (run: Run, { event }: WindowedEvent, key: string | null, items: number) =>
  key !== null &&
  key === run.key &&
  event.type === run.last.event.type &&
  run.items + items <= MAX_MERGED_ITEMS;

function textsOf(
  { id: queueId, userId, options }: QueueOfAnswer,
  lastId: number,
  { last, bodies }: Run,
): string[] {
  const { type, origin } = last.event;
  const merged = bodies.length === 1 ? undefined : last.type.merging?.merge(bodies);
  const forms =
    merged === undefined
      ? last.formsFor(options)
      : openForms(type, last.type.formsOf?.(merged, options) ?? [merged]);
  const flagsText =
    last.type.hasFlags === true ? `,"flags":${JSON.stringify(last.flagsOf(userId))}` : '';
  const originText =
    origin?.queueId === queueId ? `,"local_message_id":${JSON.stringify(origin.localId)}` : '';
  const first = eventIdAt(last.position);
  const texts = forms.map(
    (form, index) => `${form}${flagsText}${originText},"id":${first + index}}`,
  );
  return lastId < first ? texts : texts.slice(lastId - first + 1);
}
