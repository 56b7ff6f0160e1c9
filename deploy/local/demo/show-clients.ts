import type { DemoFileUser } from '../../../prisma/seed/demo-files.js';
import { type Actor, type DemoApi, granted, type Person } from './demo-api.js';
import { type DemoEvent, EventReader } from './event-reader.js';
import type { DemoPrinter } from './demo-printer.js';

interface Cast {
  /** Her app. */
  readonly alice: Person;
  /** His terminal. */
  readonly bob: Person;
  readonly bot: DemoFileUser;
}

/** An app, a bot and a terminal client in one conversation, live by events. */
export async function showClients(
  api: DemoApi,
  printer: DemoPrinter,
  { alice, bob, bot: account }: Cast,
): Promise<void> {
  printer.section(
    'An app, a bot and a terminal client talk',
    `Each registers an event queue and polls it. The app of ${alice.name} takes HTML, the terminal of ${bob.name} and the bot\n` +
      'take Markdown. /demo is a client of the same kind, in the browser.',
  );
  const bot: Actor = { name: 'Bot', email: account.email, apiKey: account.api_key };
  const app = await EventReader.register(api, printer, alice, {
    apply_markdown: 'true',
    event_types: '["message","reaction","typing","update_message","delete_message"]',
    client_capabilities: '{"bulk_message_deletion":true,"empty_topic_name":true}',
  });
  const terminal = await EventReader.register(api, printer, bob, {
    event_types: '["message","reaction"]',
  });
  const robot = await EventReader.register(api, printer, bot, { event_types: '["message"]' });
  const readers = [app, terminal, robot];
  try {
    const to = JSON.stringify([alice.userId, bob.userId, account.user_id]);
    await talk(api, { app, terminal, robot, to });
  } finally {
    for (const reader of readers) await reader.end();
  }
}

interface Conversation {
  readonly app: EventReader;
  readonly terminal: EventReader;
  readonly robot: EventReader;
  /** The ids of the three accounts, as JSON. */
  readonly to: string;
}

async function talk(api: DemoApi, { app, terminal, robot, to }: Conversation): Promise<void> {
  const send = async (reader: EventReader, content: string): Promise<number> => {
    const fields = { type: 'direct', to, content };
    const promise = granted('The message is sent');
    return Number((await api.call(reader.actor, ['POST', '/messages'], fields, promise))['id']);
  };
  await api.call(
    terminal.actor,
    ['POST', '/typing'],
    { type: 'direct', op: 'start', to },
    granted('The gateway publishes the typing'),
  );
  await app.expect(
    'typing',
    ({ op }) => op === 'start',
    () => `${terminal.actor.name} is typing`,
  );

  const questionId = await send(terminal, 'Which day is it? :calendar:');
  await robot.expect('message', hasId(questionId), contentOf);
  const answerId = await send(robot, `It is **${new Date().toISOString().slice(0, 10)}**.`);
  await app.expect('message', hasId(answerId), contentOf);

  await api.call(
    app.actor,
    ['POST', `/messages/${answerId}/reactions`],
    { emoji_name: 'tada' },
    granted('The reaction is added'),
  );
  await terminal.expect('reaction', hasMessage(answerId), ({ emoji_name }) => `:${emoji_name}:`);

  await api.call(
    terminal.actor,
    ['PATCH', `/messages/${questionId}`],
    { content: 'Which day is it **today**?' },
    granted('The sender may edit the message'),
  );
  await app.expect('update_message', hasMessage(questionId), ({ rendered_content: html }) =>
    String(html),
  );
}

/** The member of the event is declared by the API. */
const messageOf = (event: DemoEvent) => event['message'] as { id: number; content: string };
const hasId = (id: number) => (event: DemoEvent) => messageOf(event).id === id;
const hasMessage = (id: number) => (event: DemoEvent) => event['message_id'] === id;
const contentOf = (event: DemoEvent): string => messageOf(event).content;
