import { administrators, members, roles } from '#directory/roles';
import { type EndpointDeclaration, endpointsOf } from '#platform/http';
import { encodeForm } from '#test/api-client';
import { runCarillon } from '#test/run-carillon';
import type { SeededRandom } from '#test/seeded-random';
import { filePart, gif, multipart } from '#test/uploads-multipart';
import { z } from 'zod';
import { commonEndpoints } from '../../apps/api-gateway/src/api-gateway.module.js';
import { commands } from './law-commands.fixture.js';
import { exempt, notes } from './law-endpoints.fixture.js';
import { type Choice, owner, values } from './law-values.fixture.js';
import type { Actor, LawWorld } from './law-world.fixture.js';

type Fields = Readonly<Record<string, unknown>>;
type Parameter = EndpointDeclaration['parameters'][string];

/** The used part of the JSON schema of a parameter. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

const nameOf = ({ method, path }: EndpointDeclaration): string => `${method} ${path}`;

/** All endpoints that may change something, but for the exempt ones, by name. */
const changingEndpoints: ReadonlyMap<string, EndpointDeclaration> = new Map(
  endpointsOf(commonEndpoints)
    .filter((endpoint) => endpoint.method !== 'GET' && !(nameOf(endpoint) in exempt))
    .map((endpoint) => [nameOf(endpoint), endpoint]),
);

/** The names of everything that changes something: endpoints and commands of operators. */
export const changeNames: readonly string[] = [
  ...changingEndpoints.keys(),
  ...Object.keys(commands),
];

/** The names of entries for endpoints that do not exist. */
export const unknownNames = (): string[] => {
  const all = new Set(endpointsOf(commonEndpoints).map(nameOf));
  return [...Object.keys(exempt), ...Object.keys(notes)].filter((name) => !all.has(name));
};

/** The answer of an endpoint or the outcome of a command: a success has the status 200. */
interface Outcome {
  readonly status: number;
  readonly text: string;
}

/** A request, or a command, that is ready to be sent. */
export interface LawRequest {
  readonly name: string;
  readonly actor: Actor;
  readonly fields: Fields;
  /** Resolves with the answer. */
  send(): Promise<Outcome>;
}

const accountEnds = new Set(['DELETE /users/me', 'DELETE /users/{user_id}']);

/** Whether a request may end queues, because accounts see more or less than before. */
export const mayEndQueues = ({ name, fields }: LawRequest): boolean =>
  accountEnds.has(name) ||
  name.includes('/user_groups/') ||
  (name === 'PATCH /users/{user_id}' && fields['role'] !== undefined) ||
  (fields['args'] as readonly string[] | undefined)?.includes('can_access_all_users_group') ===
    true;

/** Makes valid requests from the declarations of the endpoints, and commands. */
export class LawRequests {
  constructor(
    private readonly world: LawWorld,
    private readonly random: SeededRandom,
  ) {}

  of(name: string): LawRequest {
    const { world, random } = this;
    if (Object.hasOwn(commands, name)) return this.#command(name);
    const endpoint = changingEndpoints.get(name);
    if (endpoint === undefined) throw new Error(`There is no endpoint ${name}`);
    const note = notes[name] ?? {};
    const actor = note.actor?.(world, random) ?? world.pickActor(random, leastRole(endpoint));
    const choice: Choice = { world, random, actor };
    const fields = this.#fieldsOf(endpoint, choice);
    const request = { name, actor, fields };
    return { ...request, send: () => send(endpoint, choice, fields) };
  }

  #command(name: string): LawRequest {
    const { world, random } = this;
    const actor = owner(world);
    const args = commands[name]?.({ world, random, actor }) ?? [];
    return {
      name,
      actor,
      fields: { args },
      send: async () => {
        const { exitCode, text } = await runCarillon(world.system, args);
        return { status: exitCode === 0 ? 200 : 400, text };
      },
    };
  }

  #fieldsOf(endpoint: EndpointDeclaration, choice: Choice): Fields {
    const entries = Object.entries(endpoint.parameters);
    const optional = entries.filter(([, { absent }]) => absent !== null).length;
    // Of many parameters some two are given.
    const likelihood = Math.min(0.5, 2 / Math.max(1, optional));
    const guessed = entries
      .filter(([, { absent, isDeprecated }]) =>
        absent === null ? true : isDeprecated !== true && this.random.next() < likelihood,
      )
      .map(([name, parameter]) => [name, this.#valueOf(name, parameter, choice)] as const);
    const given = notes[nameOf(endpoint)]?.fields?.(choice) ?? {};
    const all = Object.entries({ ...Object.fromEntries(guessed), ...given });
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }

  #valueOf(name: string, { schema }: Parameter, choice: Choice): unknown {
    const known = values[name];
    if (known !== undefined) return known(choice);
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
    return this.#guess(name, shape);
  }

  #guess(name: string, schema: Schema): unknown {
    const { random } = this;
    if (schema.anyOf !== undefined) return this.#guess(name, random.pick(schema.anyOf));
    if (schema.enum !== undefined) return random.pick(schema.enum);
    switch (schema.type) {
      case 'boolean':
        return random.next() < 0.5;
      case 'integer':
      case 'number':
        return Math.floor(
          random.between(schema.minimum ?? 1, Math.min(schema.maximum ?? 10, 1000) + 1),
        );
      case 'array':
        return [];
      case 'object':
        return {};
      case 'null':
        return null;
      default:
        return this.world.unique(name);
    }
  }
}

function leastRole({ access }: EndpointDeclaration): number {
  if (access === administrators) return roles.administrator;
  return access === members ? roles.member : roles.guest;
}

async function send(
  endpoint: EndpointDeclaration,
  choice: Choice,
  fields: Fields,
): Promise<Outcome> {
  const { method, file } = endpoint;
  const { api } = choice.actor.person;
  const inPath = new Set<string>();
  const path = endpoint.path.replaceAll(/\{(\w+)(?:\.{3})?\}/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(fields[name] ?? 0));
  });
  const form = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.has(name)));
  const note = notes[nameOf(endpoint)];
  const reply = await api.send(
    method,
    path,
    file === undefined
      ? {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: encodeForm(form),
        }
      : multipart(filePart('picture.gif', note?.file ?? gif)),
  );
  if (reply.status === 200) await note?.after?.(choice, reply);
  return reply;
}
