import { type Actor, type Body, type DemoApi, granted, type Person, refused } from './demo-api.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';
import { pathOf, read, seenMessage, send } from './messages.js';

const OWN_ACCOUNT = ['GET', '/users/me'] as const;

/** A message is reported: the moderators receive the report, the sender does not. */
export async function showReport(
  api: DemoApi,
  printer: DemoPrinter,
  people: { readonly reporter: Person; readonly sender: Person; readonly moderator: Person },
): Promise<void> {
  const { reporter, sender, moderator } = people;
  printer.section(
    `${reporter.name} reports a message`,
    `${sender.name} sends an offensive message. A report goes to the moderation channel of the\n` +
      'organisation, and a bot confirms it to her in a direct message.',
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
  await read(api, printer, reporter, await newestAbout(api, reporter, own.body, reportedId));
  printer.seen('The bot has confirmed it.');

  printer.section(
    `${moderator.name}, a moderator, receives the report`,
    'The account data of the moderator names the newest received message.',
  );
  const account = await api.call(moderator, OWN_ACCOUNT, {}, granted('The account can be read'));
  const reportId = await newestAbout(api, moderator, account, reportedId);
  await read(api, printer, moderator, reportId);
  printer.seen(`The report of ${reporter.name} is in the moderators’ channel.`);

  printer.section(
    `${sender.name} does not receive the report`,
    'The moderation channel is private to moderators. For other users the message does not exist.',
  );
  await api.call(
    sender,
    ['GET', pathOf(reportId)],
    {},
    refused(400, 'Invalid message(s)', `${sender.name} cannot read the report`),
  );
  printer.seen(`${sender.name} is refused.`);
}

/**
 * The newest message for a reader with a link to another message: the newest message of the account, or a little older if
 * other messages arrived since.
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
