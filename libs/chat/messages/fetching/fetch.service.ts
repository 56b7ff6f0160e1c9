import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isMessageId } from '#platform/contracts';
import { isStatementTimeout, mapInSlices } from '#platform/core';
import type { Session } from '#platform/database';
import { MessageComposer } from '../composing/message-composer.js';
import { narrowErrors } from '../narrows/narrow.errors.js';
import { isPlace, NarrowResolver, type NarrowQuery } from '../narrows/narrow-resolver.js';
import type { Term } from '../narrows/term.js';
import { HiddenPartsFilter } from '../reading/hidden-parts-filter.js';
import { MAX_PAGE_BYTES } from '../reading/message-bytes.js';
import type { MessageOfReader, MessageView } from '../reading/message.repository.js';
import {
  type Anchor,
  type PageRange,
  foundRange,
  type Range,
  type RangeSize,
  withinRange,
} from './anchor.rules.js';
import { fetchErrors } from './fetch.errors.js';
import { FetchSlots, type Pace } from './fetch-slots.js';
import { Highlighter, type Match } from './highlighter.js';
import { MessagePageRepository } from './message-page.repository.js';

/** A range of the messages of a narrow. */
interface PageRequest {
  readonly terms: readonly Term[];
  readonly anchor: Anchor;
  readonly size: RangeSize;
}

/** A message, with its matches if the narrow has a search. */
export interface PageMessage {
  readonly message: MessageView;
  readonly match: Match | null;
}

/** Messages in ascending order. */
interface MessageList extends PageRange {
  readonly anchor: number;
  /** Whether messages are missing because all are too large together. */
  readonly isCut: boolean;
  readonly messages: readonly PageMessage[];
}

/** The ids of messages in ascending order. */
interface IdList extends PageRange {
  readonly ids: readonly number[];
}

/** The place of a message is a place too. */
const isViewOfPlace = (terms: readonly Term[]): boolean =>
  terms.every((term) => (isPlace(term) || term.operator === 'with') && !term.isNegated);

/** A larger page takes PostgreSQL as long as a search. */
const USUAL_PAGE = 1000;
/** A larger page is read like a slow one, because it takes some ten megabytes: few of them are read at once. */
const USUAL_PAGE_BYTES = 1_000_000;

const paceOf = (terms: readonly Term[], messages: number): Pace =>
  isViewOfPlace(terms) && messages <= USUAL_PAGE ? 'usual' : 'slow';

const paceOfPage = ({ terms, size: { before, after } }: PageRequest): Pace =>
  paceOf(terms, before + after);

/**
 * Reads the messages of narrows. All rows of an answer are of one snapshot of the database. The number of statements does
 * not depend on the number of messages.
 */
@Injectable()
export class FetchService {
  constructor(
    private readonly resolver: NarrowResolver,
    private readonly pages: MessagePageRepository,
    private readonly hiddenParts: HiddenPartsFilter,
    private readonly composer: MessageComposer,
    private readonly highlighter: Highlighter,
    private readonly slots: FetchSlots,
  ) {}

  /**
   * The messages of a range, the nearest ones if all are too large together. Throws `badNarrow`, `narrowTooExpensive`
   * after five seconds, and the error of FetchSlots.
   */
  async fetch(caller: Caller, request: PageRequest): Promise<MessageList> {
    const fetchPage = (pace: Pace, maxBytes: number) =>
      this.slots.run(caller.userId, pace, () => this.#fetch(caller, request, maxBytes));
    if (paceOfPage(request) === 'usual') {
      const page = await fetchPage('usual', USUAL_PAGE_BYTES);
      if (!page.isCut) return page;
    }
    return fetchPage('slow', MAX_PAGE_BYTES);
  }

  async #fetch(
    caller: Caller,
    { terms, anchor, size }: PageRequest,
    maxBytes: number,
  ): Promise<MessageList> {
    const resolved = await this.resolver.resolve(caller, terms);
    const found = await this.#read(terms, async (snapshot) => {
      const range = await this.#rangeOf(snapshot, resolved, anchor, size);
      const page = await this.pages.page(snapshot, resolved, range, maxBytes);
      const { cut } = page;
      const ids = new Set(
        withinRange(
          range,
          page.messages.map(({ id }) => id),
        ),
      );
      const within = page.messages.filter(({ id }) => ids.has(id));
      const messages = await this.hiddenParts.applyToAll(caller, within, snapshot);
      return { range, cut, messages };
    });
    const { range, cut, messages } = found;
    return {
      ...foundRange(
        range,
        messages.map(({ id }) => id),
        cut,
      ),
      anchor: range.anchor,
      isCut: cut.isBefore || cut.isAfter,
      messages: await this.#show(caller, terms, resolved, messages),
    };
  }

  /** The ids of a range; throws like `fetch`. */
  async fetchIds(caller: Caller, request: PageRequest): Promise<IdList> {
    return this.slots.run(caller.userId, paceOfPage(request), () =>
      this.#fetchIds(caller, request),
    );
  }

  async #fetchIds(caller: Caller, { terms, anchor, size }: PageRequest): Promise<IdList> {
    const resolved = await this.resolver.resolve(caller, terms);
    return this.#read(terms, async (snapshot) => {
      const range = await this.#rangeOf(snapshot, resolved, anchor, size);
      const found = await this.pages.ids(snapshot, resolved, range);
      const ids = withinRange(range, found);
      return { ...foundRange(range, ids), ids };
    });
  }

  /**
   * Those of some messages that the caller may read and that are in the narrow. Throws like `fetch`, and
   * `tooManyMessagesRequested` if they are too large together.
   */
  async fetchAmong(
    caller: Caller,
    terms: readonly Term[],
    messageIds: readonly number[],
  ): Promise<readonly PageMessage[]> {
    return this.slots.run(caller.userId, paceOf(terms, messageIds.length), () =>
      this.#fetchAmong(caller, terms, messageIds),
    );
  }

  async #fetchAmong(
    caller: Caller,
    terms: readonly Term[],
    messageIds: readonly number[],
  ): Promise<readonly PageMessage[]> {
    const resolved = await this.resolver.resolve(caller, terms);
    const messages = await this.#read(terms, async (snapshot) => {
      const page = await this.pages.among(snapshot, resolved, messageIds.filter(isMessageId));
      if (page.cut.isAfter) {
        const limit = page.messages.length;
        throw new ApiError(fetchErrors.tooManyMessagesRequested, { limit });
      }
      return this.hiddenParts.applyToAll(caller, page.messages, snapshot);
    });
    return this.#show(caller, terms, resolved, messages);
  }

  /** A view of a place cannot be narrowed: the time-out of one means that PostgreSQL is overloaded, and is an outage. */
  async #read<Result>(
    terms: readonly Term[],
    work: (snapshot: Session) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.pages.snapshot(work);
    } catch (error) {
      if (isStatementTimeout(error) && !isViewOfPlace(terms)) {
        throw new ApiError(narrowErrors.narrowTooExpensive);
      }
      throw error;
    }
  }

  async #rangeOf(
    snapshot: Session,
    resolved: NarrowQuery,
    anchor: Anchor,
    size: RangeSize,
  ): Promise<Range> {
    if (anchor === 'first_unread') {
      return { ...size, anchor: await this.pages.firstUnread(snapshot, resolved) };
    }
    if ('id' in anchor) return { ...size, anchor: anchor.id };
    return { ...size, anchor: await this.pages.firstSince(snapshot, resolved, anchor.date) };
  }

  async #show(
    caller: Caller,
    terms: readonly Term[],
    { narrow }: NarrowQuery,
    messages: readonly MessageOfReader[],
  ): Promise<PageMessage[]> {
    const sources = messages.filter(({ rendered }) => rendered === null);
    const isInChannel = messages.some(({ channelId }) => channelId !== null);
    const [htmls, topicLinks] = await Promise.all([
      this.composer.renderAll(
        caller,
        sources.map(({ content }) => content),
      ),
      isInChannel ? this.composer.topicLinks(caller.realm.id) : () => [],
    ]);
    const htmlOf = new Map(sources.map(({ id }, index) => [id, htmls[index] ?? '']));
    const shown = await mapInSlices(messages, (message) => ({
      topicLinks: message.channelId === null ? [] : topicLinks(message.topic),
      ...message,
      rendered: message.rendered ?? htmlOf.get(message.id) ?? '',
    }));
    if (narrow.searches.length === 0) return shown.map((message) => ({ message, match: null }));
    const matches = await this.#read(terms, (snapshot) =>
      this.highlighter.matches(snapshot, shown, narrow.searches),
    );
    return shown.map((message, index) => ({ message, match: matches[index] ?? null }));
  }
}
