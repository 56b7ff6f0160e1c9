import { Controller } from '@nestjs/common';
import { shownTopic } from '#chat/channels';
import { avatarUrl } from '#directory/avatars';
import { ApiError, type Caller } from '#platform/contracts';
import { escapedHtml, mapInSlices } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { MessageFlagsService } from '../flags/message-flags.service.js';
import { type MessageFormat, toMessageResponse } from '../message.response.js';
import { MessagesService } from '../messages.service.js';
import { termsOf } from '../narrows/term.rules.js';
import { anchorOf, checkRange, MAX_MESSAGES } from './anchor.rules.js';
import { fetchErrors } from './fetch.errors.js';
import {
  getMatchesNarrow,
  getMessages,
  postMarkAllAsRead,
  postMarkTopicAsRead,
  postNarrowFlags,
} from './fetch.schema.js';
import { type PageMessage, FetchService } from './fetch.service.js';

/** Lists of messages, and their flags. */
@Controller()
export class FetchController {
  constructor(
    private readonly fetching: FetchService,
    private readonly flags: MessageFlagsService,
    private readonly messages: MessagesService,
  ) {}

  @Endpoint(getMessages)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof getMessages>,
  ) {
    const terms = termsOf(parameters.narrow ?? []);
    const toResponse = (fetched: PageMessage) => toListed(fetched, parameters);
    if (parameters.message_ids !== undefined) {
      refuseRange(parameters);
      const found = await this.fetching.fetchAmong(caller, terms, parameters.message_ids);
      const messages = await mapInSlices(found, toResponse);
      return { messages, ...foundNothing, history_limited: false };
    }
    const page = await this.fetching.fetch(caller, {
      terms,
      anchor: anchorOf(parameters),
      size: sizeOf(parameters),
    });
    return {
      messages: await mapInSlices(page.messages, toResponse),
      anchor: page.anchor,
      found_anchor: page.foundAnchor,
      found_oldest: page.foundOldest,
      found_newest: page.foundNewest,
      history_limited: false,
    };
  }

  @Endpoint(getMatchesNarrow)
  async match(
    @SignedIn() caller: Caller,
    @Parameters() { msg_ids, narrow }: ParametersOf<typeof getMatchesNarrow>,
  ) {
    const found = await this.fetching.fetchAmong(caller, termsOf(narrow ?? []), msg_ids);
    const matches = found.map(({ message, match }) => [
      message.id,
      {
        match_content: match?.content ?? message.rendered,
        match_subject: match?.topic ?? escapedHtml(message.topic),
      },
    ]);
    return { messages: Object.fromEntries(matches) };
  }

  @Endpoint(postNarrowFlags)
  async flag(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof postNarrowFlags>,
  ) {
    const { num_before, num_after, op, flag } = parameters;
    const size = {
      before: Math.min(num_before, MAX_MESSAGES),
      after: Math.min(num_after, MAX_MESSAGES),
      isAnchorIncluded: parameters.include_anchor,
    };
    checkRange(size);
    const terms = termsOf(parameters.narrow ?? []);
    const found = await this.fetching.fetchIds(caller, {
      terms,
      anchor: anchorOf(parameters),
      size,
    });
    const change = { flag, isSet: op === 'add', messageIds: found.ids };
    const { changedCount, ignoredChannelIds } = await this.flags.update(caller, change);
    return {
      processed_count: found.ids.length,
      updated_count: changedCount,
      first_processed_id: found.ids[0] ?? null,
      last_processed_id: found.ids.at(-1) ?? null,
      found_oldest: found.foundOldest,
      found_newest: found.foundNewest,
      ignored_because_not_subscribed_channels: ignoredChannelIds,
    };
  }

  @Endpoint(postMarkAllAsRead)
  async markAll(@SignedIn() caller: Caller) {
    return { complete: await this.messages.markAllAsRead(caller) };
  }

  @Endpoint(postMarkTopicAsRead)
  async markTopic(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id, topic_name }: ParametersOf<typeof postMarkTopicAsRead>,
  ) {
    await this.messages.markTopicAsRead(caller, stream_id, topic_name);
  }
}

const foundNothing = { found_anchor: false, found_oldest: false, found_newest: false };

type ListParameters = ParametersOf<typeof getMessages>;

function refuseRange(parameters: ListParameters): void {
  const { anchor, num_before, num_after, include_anchor, use_first_unread_anchor } = parameters;
  const isRange =
    anchor !== undefined ||
    num_before + num_after > 0 ||
    !include_anchor ||
    use_first_unread_anchor;
  if (isRange) throw new ApiError(fetchErrors.anchorWithMessageIds);
}

function sizeOf({ num_before, num_after, include_anchor }: ListParameters) {
  if (num_before + num_after > MAX_MESSAGES) {
    throw new ApiError(fetchErrors.tooManyMessagesRequested, { limit: MAX_MESSAGES });
  }
  const size = { before: num_before, after: num_after, isAnchorIncluded: include_anchor };
  checkRange(size);
  return size;
}

function toListed({ message, match }: PageMessage, parameters: ListParameters) {
  const format: MessageFormat = {
    isHtml: parameters.apply_markdown,
    isEmptyTopicAllowed: parameters.allow_empty_topic_name,
  };
  const response = toMessageResponse(message, format);
  const picture = parameters.client_gravatar ? null : avatarUrl(response.sender_id);
  const listed = { ...response, avatar_url: picture };
  if (match === null) return listed;
  const isUnnamedTopic = message.channel !== null && match.topic === '';
  return {
    match_content: match.content,
    match_subject: isUnnamedTopic ? shownTopic('', format.isEmptyTopicAllowed) : match.topic,
    ...listed,
  };
}
