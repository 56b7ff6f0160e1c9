import { randomInt } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { roles } from '#directory/roles';
import type { PresenceAnswer, PresenceRequest, VisibilityChange } from '#presence/rpc';
import type { Database } from '#platform/database';
import { presenceRequest } from './presence-request.js';

/** A parsed answer of the presence service. */
export interface PresencePicture {
  readonly presence_last_update_id: number;
  readonly server_timestamp: number;
  readonly presences: Readonly<Record<string, PresenceTimes>>;
}

export interface PresenceTimes {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

export const JOINED_AT = 1_600_000_000;

/** Above the realm ids in the databases of other test files, because all files share one Redis. */
const MIN_REALM_ID = 1_000_000;

/** The columns of an account that presence uses. */
interface UserTraits {
  readonly isBot?: boolean;
  readonly isActive?: boolean;
  readonly role?: number;
}

/** An organisation of one test, with the requests of its users. */
export class PresenceRealm {
  #people = 0;

  private constructor(
    readonly id: number,
    private readonly database: Database,
  ) {}

  static async create(
    database: Database,
    id = randomInt(MIN_REALM_ID, 2 ** 31),
  ): Promise<PresenceRealm> {
    await database.prisma.realm.create({ data: { id, subdomain: `realm-${id}`, name: 'Test' } });
    return new PresenceRealm(id, database);
  }

  /** Adds a person; resolves with the user's id. */
  async addUser(traits: UserTraits = {}): Promise<number> {
    const [userId = 0] = await this.#add([traits]);
    return userId;
  }

  /** Adds users with ascending ids. */
  addUsers(count: number): Promise<number[]> {
    return this.#add(Array.from({ length: count }, () => ({})));
  }

  async #add(people: readonly UserTraits[]): Promise<number[]> {
    const data = people.map((traits) => {
      this.#people += 1;
      const name = `person${this.#people}@realm-${this.id}`;
      return {
        realmId: this.id,
        deliveryEmail: name,
        email: name,
        fullName: name,
        role: roles.member,
        dateJoined: new Date(JOINED_AT * 1000),
        apiKeyHash: new Uint8Array(Buffer.from(name)),
        apiKeySealed: new Uint8Array(),
        ...traits,
      };
    });
    const added = await this.database.prisma.user.createManyAndReturn({
      data,
      select: { id: true },
    });
    return added.map(({ id }) => id).toSorted((one, other) => one - other);
  }

  /** An active report of the current time that asks for all users, with the overrides of a test. */
  request(userId: number, different: Partial<PresenceRequest> = {}): PresenceRequest {
    const own = { realmId: this.id, userId, joinedAt: JOINED_AT, reportedAt: nowSeconds() };
    return presenceRequest({ ...own, ...different });
  }

  /** A poll without a report. */
  poll(userId: number, lastUpdateId = -1): PresenceRequest {
    return this.request(userId, { isVisible: false, lastUpdateId });
  }

  visibility(userId: number, isVisible: boolean, changedAt = nowSeconds()): VisibilityChange {
    return { realmId: this.id, userId, joinedAt: JOINED_AT, isVisible, changedAt };
  }
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The shape of an answer of the service. */
export const parseAnswer = (answer: PresenceAnswer): PresencePicture =>
  JSON.parse(textOf(answer)) as PresencePicture;

function textOf(answer: PresenceAnswer): string {
  if (typeof answer === 'string') return answer;
  const inflate = answer.encoding === 'br' ? brotliDecompressSync : gunzipSync;
  return inflate(answer.body).toString();
}

export const usersIn = (answer: PresencePicture): number[] =>
  Object.keys(answer.presences)
    .map(Number)
    .toSorted((a, b) => a - b);
