import { type Actor, type Body, type DemoApi, granted, type Person, refused } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import { pathOf, read, seenMessage, send } from './messages.js';
import type { Narrator } from './narrator.js';

const OWN_ACCOUNT = ['GET', '/users/me'] as const;

/** A message is reported; the moderators are told of it, its sender is not. */
export async function showReport(
  api: DemoApi,
  narrator: Narrator,
  people: { readonly reporter: Person; readonly sender: Person; readonly moderator: Person },
): Promise<void> {
  const { reporter, sender, moderator } = people;
  narrator.chapter(
    `${reporter.name} reports a message`,
    `${sender.name} sends something that she would rather not read. A report goes to the channel that the\n` +
      'organisation has named for that, and a bot confirms it to her in a direct message.',
  );
  const reportedId = await send(api, sender, {
    type: 'direct',
    to: `[${reporter.userId}]`,
    content: 'Genuine watches, for today only half the price!',
  });
  const reportPath = `${pathOf(reportedId)}/report`;
  const fields = { report_type: 'spam', description: 'I hope that his account is still his.' };
  await api.call(reporter, ['POST', reportPath], fields, granted('The report is taken'));
  const own = await api.ask(reporter, OWN_ACCOUNT, {});
  await read(api, narrator, reporter, await newestAbout(api, reporter, own.body, reportedId));
  narrator.seen('The bot has confirmed it.');

  narrator.chapter(
    `${moderator.name}, a moderator, is told`,
    'Her own account names the newest message that she was sent.',
  );
  const account = await api.call(moderator, OWN_ACCOUNT, {}, granted('The account can be read'));
  const reportId = await newestAbout(api, moderator, account, reportedId);
  await read(api, narrator, moderator, reportId);
  narrator.seen(`The report of ${reporter.name} is in the moderators’ channel.`);

  narrator.chapter(
    `${sender.name} is not told`,
    'What stands in the moderators’ channel is for them. To anybody else there is no such message.',
  );
  await api.call(
    sender,
    ['GET', pathOf(reportId)],
    {},
    refused(400, 'Invalid message(s)', `${sender.name} may not read the report`),
  );
  narrator.seen(`${sender.name} is refused.`);
}

/**
 * The newest message that somebody was sent with a link to another one. Mostly it is the one that their
 * account names; should anybody write meanwhile, it is a little older.
 */
async function newestAbout(
  api: DemoApi,
  reader: Actor,
  { max_message_id: newest }: Body,
  messageId: number,
): Promise<number> {
  for (let id = Number(newest); id > messageId; id -= 1) {
    const { status, body } = await api.ask(reader, ['GET', pathOf(id)], {});
    if (status === 200 && seenMessage(body).markdown.includes(`/near/${messageId})`)) return id;
  }
  throw new DemoMismatch(
    `${reader.name} has a message that links message ${messageId}`,
    `none from there up to ${String(newest)}`,
  );
}
