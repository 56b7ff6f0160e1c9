import { roles } from '#directory/roles';
import type { SeededRandom } from '#test/seeded-random';
import type { Reply } from '#test/http-request';
import type { Actor, LawWorld } from './law-world.fixture.js';

/** The choice of one request. */
export interface Choice {
  readonly world: LawWorld;
  readonly random: SeededRandom;
  readonly actor: Actor;
}

/** What cannot be guessed of the requests of an endpoint. */
export interface EndpointNotes {
  /** Relative to 1, the frequency of other endpoints. */
  readonly weight?: number;
  /** The sender; by default any active account with the access of the endpoint. */
  readonly actor?: (world: LawWorld, random: SeededRandom) => Actor;
  /** Values of parameters; `undefined` leaves one out. By default they follow `values` and the schema. */
  readonly fields?: (choice: Choice) => Readonly<Record<string, unknown>>;
  /** The content of the file that the endpoint takes. */
  readonly file?: Buffer;
  /** Runs after a success. */
  readonly after?: (choice: Choice, reply: Reply) => unknown;
}

export const anyUser = ({ world, random }: Choice): number => random.pick(world.existing.users).id;
export const someUsers = ({ world, random }: Choice): number[] =>
  random
    .shuffled(world.existing.users.filter(({ isActive }) => isActive))
    .slice(0, 1 + random.next() * 3)
    .map(({ id }) => id);
export const anyChannel = ({ world, random }: Choice): number =>
  random.pick(world.existing.channels).id;
export const anyMessage = ({ world, random }: Choice): number | undefined =>
  world.existing.messages.length === 0 ? undefined : random.pick(world.existing.messages).id;
export const anyGroup = ({ world, random }: Choice): number =>
  random.pick(world.existing.groups.filter(({ isSystem }) => !isSystem)).id;
const topics = ['lunch', 'Lunch', 'dinner', '', '✔ done'];
export const anyTopic = ({ random }: Choice): string => random.pick(topics);
export const phone = { token: 'c0ffee'.repeat(10) };

/** Values of parameters of any endpoint, by name. */
export const values: Readonly<Record<string, (choice: Choice) => unknown>> = {
  user_id: anyUser,
  muted_user_id: anyUser,
  stream_id: anyChannel,
  message_id: anyMessage,
  user_group_id: anyGroup,
  topic: anyTopic,
  topic_name: anyTopic,
  messages: ({ world, random }) =>
    random
      .shuffled(world.existing.messages)
      .slice(0, 6)
      .map(({ id }) => id),
  content: (choice) => contentOf(choice),
  filter_id: ({ world, random }) => idFrom(random, world.existing.linkifiers),
  playground_id: ({ world, random }) => idFrom(random, world.existing.playgrounds),
  field_id: ({ world, random }) => idFrom(random, world.existing.profileFields),
  saved_snippet_id: ({ world, random, actor }) =>
    idFrom(
      random,
      world.existing.snippets.filter(({ userId }) => userId === actor.person.id),
    ),
  emoji_name: ({ world, random }) =>
    random.pick([...world.existing.emoji.map(({ name }) => name), 'car', 'tada']),
  emoji_code: () => undefined,
  reaction_type: () => undefined,
  queue_id: () => undefined,
  local_id: () => undefined,
  'Idempotency-Key': () => undefined,
};

export const idFrom = (
  random: SeededRandom,
  rows: readonly { readonly id: number }[],
): number | undefined => (rows.length === 0 ? undefined : random.pick(rows).id);

/** A text with mentions, links to files, and other Markdown. */
export function contentOf({ world, random }: Choice): string {
  const parts = [world.unique('Hello **you**')];
  const mentioned = random.pick(world.existing.users);
  if (random.next() < 0.3) parts.push(random.pick(['@**all**', '@**topic**']));
  if (random.next() < 0.3) parts.push(`@**${mentioned.fullName}|${mentioned.id}**`);
  const [file] = random.shuffled(world.existing.files);
  if (file !== undefined && random.next() < 0.3) parts.push(`[file](/user_uploads/${file.pathId})`);
  return parts.join(' ');
}

export const anyBot = (world: LawWorld, random: SeededRandom): Actor =>
  world.pickOwner(
    random,
    world.existing.users.filter(({ isBot }) => isBot).map(({ id }) => id),
  );
export const owner = (world: LawWorld): Actor => {
  const found = world.actors.find(({ role }) => role === roles.owner);
  if (found === undefined) throw new Error('There is no owner');
  return found;
};
