import { shownTopic } from '#chat/channels';
import { TimeSlice } from '#platform/core';
import { z } from 'zod';
import { htmlDifference } from './html-difference.rules.js';
import { MAX_HISTORY_BYTES } from './message-history.repository.js';
import type { MessageHistory, MessageVersion, EditRecord } from './message-history.rules.js';

export const messageVersion = z.object({
  topic: z.string().describe('After the change; empty for a direct message.'),
  content: z.string().describe('Markdown, after the change.'),
  rendered_content: z.string().describe('HTML, after the change.'),
  timestamp: z.int().describe('Of the change, in UNIX seconds.'),
  user_id: z.int().describe('The account that made the change; the sender of the first version.'),
  prev_content: z.string().optional().describe('Only if it changed.'),
  prev_rendered_content: z.string().optional().describe('Only if the content changed.'),
  content_html_diff: z
    .string()
    .optional()
    .describe('HTML with the inserted and deleted texts marked; only if the content changed.'),
  prev_topic: z.string().optional().describe('Only if it changed.'),
  prev_stream: z.int().optional().describe('Only if the channel changed.'),
  stream: z.int().optional().describe('Only if the channel changed.'),
});

/**
 * The versions of a message in the format of the API, oldest first. The newest ones if all are too large together: the first
 * of them is then the version before the oldest change that the answer has.
 */
export async function toHistoryResponse(
  { isDirect, versions }: MessageHistory,
  isEmptyTopicAllowed: boolean,
): Promise<z.infer<typeof messageVersion>[]> {
  const shown = (topic: string) => (isDirect ? '' : shownTopic(topic, isEmptyTopicAllowed));
  const slice = new TimeSlice();
  const newestFirst: z.infer<typeof messageVersion>[] = [];
  let bytes = 0;
  for (const version of versions.toReversed()) {
    const response = toVersionResponse(version, shown);
    bytes += Buffer.byteLength(JSON.stringify(response));
    const { userId, at } = versions[0] ?? version;
    const isCut = newestFirst.length > 0 && bytes > MAX_HISTORY_BYTES;
    newestFirst.push(
      isCut ? toVersionResponse({ ...version, userId, at, edit: null }, shown) : response,
    );
    if (isCut) break;
    await slice.next();
  }
  return newestFirst.toReversed();
}

const toVersionResponse = (
  { topic, content, rendered, userId, at, edit }: MessageVersion,
  shown: (topic: string) => string,
): z.infer<typeof messageVersion> => ({
  topic: shown(topic),
  content,
  rendered_content: rendered,
  timestamp: Math.floor(at.getTime() / 1000),
  user_id: userId,
  ...(edit !== null && toChangeResponse(edit, rendered, shown)),
});

const toChangeResponse = (
  edit: EditRecord,
  rendered: string,
  shown: (topic: string) => string,
) => ({
  ...(edit.prevContent !== null && {
    prev_content: edit.prevContent,
    prev_rendered_content: edit.prevRendered ?? '',
    content_html_diff: htmlDifference(edit.prevRendered ?? '', rendered),
  }),
  ...(edit.prevTopic !== null && { prev_topic: shown(edit.prevTopic) }),
  ...(edit.prevChannelId !== null && { prev_stream: edit.prevChannelId }),
  ...(edit.channelId !== null && { stream: edit.channelId }),
});
