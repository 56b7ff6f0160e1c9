import { Database } from '#platform/database';
import { ApiClient } from '#test/api-client';
import { fillLists, fillStorage, longestCode } from '#test/full-lists';
import { DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { type BenchUser, createRealm } from '../../../bench/world/bench-world.js';
import { BenchWorldRepository } from '../../../bench/world/bench-world.repository.js';
import { type LargestRequest, largestRequests } from '../../performance/largest-answers.fixture.js';
import type { LargestState } from '../../performance/largest-state.fixture.js';
import { GATEWAY, type Installation } from './installation.js';
import { PollCrowd } from './poll-crowd.js';

const HOST = 'crowd.127.0.0.1:9991';
/** More than a page of messages has. */
const LONG_MESSAGES = 100;

/** An organisation of many people, each with an iPhone and subscribed to a channel that notifies of each message. */
export class LargestLoad {
  private constructor(
    private readonly users: readonly BenchUser[],
    private readonly everybody: number,
    private readonly own: number,
  ) {}

  static async create(installation: Installation, people: number): Promise<LargestLoad> {
    const url = await installation.storeUrl('database-url', 'postgres');
    const database = new Database({ url, poolSize: 2 });
    try {
      const world = new BenchWorldRepository(database);
      const { id: realmId, users } = await createRealm(world, 'crowd', people);
      const ids = users.map(({ userId }) => userId);
      const [everybody = 0, own = 0] = await world.createChannels(realmId, [
        { name: 'everybody', userIds: ids },
        { name: 'own', userIds: ids.slice(0, 1) },
      ]);
      await world.createDevices(
        ids.map((userId) => ({ userId, token: iphoneToken() })),
        DEMO_APP_ID,
      );
      const bot = ids.at(-1) ?? 0;
      await database.prisma.user.updateMany({ where: { id: bot }, data: { isBot: true } });
      return new LargestLoad(users, everybody, own);
    } finally {
      await database.onApplicationShutdown();
    }
  }

  /** Holds polls of the first people, each with a connection of its own. */
  hold(polling: number): Promise<PollCrowd> {
    return PollCrowd.hold(this.users.slice(0, polling), HOST);
  }

  /** The first person sends a message to all. */
  async notify(): Promise<void> {
    const message = { type: 'channel', to: this.everybody, topic: 'news', content: 'To all' };
    const { status, text } = await this.#client(this.users[0]).api.post('/messages', message);
    if (status !== 200) throw new Error(`The message was answered ${status}: ${text}`);
  }

  /** Requests each of the largest answers of the first person so many times at once; resolves with their bytes by request. */
  async requestLargest(concurrent: number): Promise<Readonly<Record<string, number>>> {
    const state = await this.#fillAccount();
    const bytes: Record<string, number> = {};
    for (const [endpoint, byName] of Object.entries(largestRequests)) {
      for (const [name, requestOf] of Object.entries(byName)) {
        const once = () => send(state, endpoint, requestOf(state));
        const sizes = await Promise.all(Array.from({ length: concurrent }, once));
        bytes[`${endpoint}, ${name}`] = Math.max(...sizes);
      }
    }
    return bytes;
  }

  async #fillAccount(): Promise<LargestState> {
    const [person, bot] = [this.#client(this.users[0]), this.#client(this.users.at(-1))];
    const channelId = this.own;
    await fillLists(person.api, channelId);
    await fillStorage(bot.api);
    const ids: number[] = [];
    const message = { type: 'channel', to: channelId, topic: 'plan', content: longestCode };
    while (ids.length < LONG_MESSAGES) {
      ids.push(Number((await person.api.post('/messages', message)).body['id']));
    }
    const { body } = await person.api.get('/user_groups');
    // The API documents this shape.
    const [group] = body['user_groups'] as readonly { readonly id: number }[];
    const editedId = ids.at(-1) ?? 0;
    return {
      person,
      bot,
      channelId,
      groupId: group?.id ?? 0,
      shortIds: ids,
      longIds: ids,
      editedId,
    };
  }

  #client(user: BenchUser | undefined): LargestState['person'] {
    if (user === undefined) throw new Error('There are no people');
    const credentials = { email: user.email, api_key: user.apiKey, host: HOST };
    return { id: user.userId, ...credentials, api: new ApiClient(GATEWAY, credentials) };
  }
}

/** Resolves with the bytes of the answer. */
async function send(
  { person, bot }: LargestState,
  endpoint: string,
  { path, fields = {}, isByBot = false }: LargestRequest,
): Promise<number> {
  const [method, ownPath = ''] = endpoint.split(' ');
  const { api } = isByBot ? bot : person;
  const reply = await (method === 'GET'
    ? api.get(path ?? ownPath, fields)
    : api.post(path ?? ownPath, fields));
  if (reply.status !== 200) throw new Error(`${endpoint}: ${reply.status} ${reply.text}`);
  return Buffer.byteLength(reply.text);
}
