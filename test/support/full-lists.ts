import { longestTexts } from '#platform/contracts';
import type { ApiClient } from './api-client.js';
import type { Reply } from './http-request.js';

/** Texts with the most bytes of UTF-8, with the most bytes of JSON, and with much longer HTML. */
const emoji = '😀'.repeat(longestTexts.message);
const controls = '\u0001'.repeat(longestTexts.message);
export const longestCode = `\`\`\`js\n${"x='1';".repeat(longestTexts.message / 6 - 3)}\n\`\`\``;

/** Fills the lists of an account that have limits of bytes, by requests. */
export async function fillLists(api: ApiClient, channelId: number): Promise<void> {
  const text = (index: number) => (index % 2 === 0 ? emoji : controls);
  const toChannel = { type: 'stream', to: [channelId], topic: 'plan' };
  await fill((index) =>
    api.post('/drafts', {
      drafts: Array.from({ length: 4 }, () => ({ ...toChannel, content: text(index) })),
    }),
  );
  await fill((index) =>
    api.post('/saved_snippets', { title: '😀'.repeat(60), content: text(index) }),
  );
  await fill(() =>
    api.post('/scheduled_messages', {
      type: 'channel',
      to: channelId,
      topic: 'plan',
      content: longestCode,
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 1_000_000,
    }),
  );
}

/** Fills the texts of a bot. */
export async function fillStorage(bot: ApiClient): Promise<void> {
  const storage = '😀'.repeat(200_000);
  await fill((index) =>
    bot.send('PUT', '/bot_storage', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ storage: { [index]: storage } }),
    }),
  );
}

/** Repeats a request until a limit refuses it. */
async function fill(send: (index: number) => Promise<Reply>): Promise<void> {
  for (let index = 0; ; index += 1) {
    const { status, text } = await send(index);
    if (status === 200) continue;
    if (status === 400 && /LIMIT_REACHED|storage limit/.test(text)) return;
    throw new Error(`A list is not full, but a request was refused: ${status} ${text}`);
  }
}
