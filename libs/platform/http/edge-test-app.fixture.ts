import type { AddressInfo, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Access,
  type Authenticator,
  ApiError,
  type AuthRequest,
  type Caller,
  type Charge,
  type LimitState,
  type OnCharged,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import { Drain } from '#platform/core';
import {
  addDirectRoute,
  buildEdge,
  charged,
  type ConnectionLimits,
  createEdgeAdapter,
  type DirectRouteOptions,
  HijackedAnswer,
  EdgeModule,
  type EndedRequest,
  Endpoint,
  endpoint,
  json,
  type OnEnded,
  Parameters,
  type ParametersOf,
  SignedIn,
  text,
} from '#platform/http';
import { z } from 'zod';
import { type OutgoingRequest, type Reply, sendRequest } from '#test/http-request';
import { stubAuth, testCaller } from '#test/edge-authenticator';

const about = {
  summary: 'A thing',
  description: 'A thing.',
  tag: 'Things',
  access: 'user',
  returns: z.looseObject({}),
  errors: [],
} as const;

const parameters = {
  name: text(z.string().optional(), { description: 'Its name.' }),
  tags: json(z.array(z.string()).optional(), { description: 'Its tags.' }),
};
const getThing = endpoint({ ...about, method: 'GET', path: '/things', parameters });
const addThing = endpoint({ ...about, method: 'POST', path: '/things', parameters });
const patchThing = endpoint({ ...about, method: 'PATCH', path: '/things', parameters });
const removeThing = endpoint({
  ...about,
  method: 'DELETE',
  path: '/things/{thing_id}',
  parameters: { thing_id: json(z.int(), { description: 'Which.' }) },
});
const openThing = endpoint({
  ...about,
  method: 'POST',
  path: '/open_things',
  access: 'anyone',
  parameters,
});
const fail = endpoint({
  ...about,
  method: 'GET',
  path: '/failing',
  parameters: { code: text(z.string().optional(), { description: 'How.' }) },
});

const waiting = {
  ...about,
  method: 'GET',
  parameters: {
    outcome: text(z.string().optional(), { description: 'What it waits for.' }),
    count: json(z.int().optional(), { description: 'Unused.' }),
  },
} as const;
const wait = endpoint({ ...waiting, path: '/waiting' });
/** The same with a direct route. */
const waitDirectly = endpoint({ ...waiting, path: '/waiting_directly', chargesOwnLimit: true });

const addDirectly = endpoint({ ...about, method: 'POST', path: '/things_directly', parameters });

/** More than the buffers of a connection take. */
export const LARGE_BYTES = 50_000_000;

@Controller()
class ThingController {
  @Endpoint(getThing)
  get(@Parameters() given: ParametersOf<typeof getThing>, @SignedIn() caller: Caller) {
    return { via: 'GET', given, email: caller.deliveryEmail };
  }

  @Endpoint(addThing)
  add(@Parameters() given: ParametersOf<typeof addThing>) {
    return { via: 'POST', given };
  }

  @Endpoint(addDirectly)
  addIndirectly(@Parameters() given: ParametersOf<typeof addDirectly>) {
    return { given };
  }

  @Endpoint(openThing)
  open(@Parameters() { name }: ParametersOf<typeof openThing>) {
    return { name: name?.length };
  }

  @Endpoint(patchThing)
  patch(): void {}

  @Endpoint(removeThing)
  remove(@Parameters() given: ParametersOf<typeof removeThing>) {
    return { via: 'DELETE', given };
  }

  @Endpoint(fail)
  fail(@Parameters() { code }: ParametersOf<typeof fail>): never {
    throw Object.assign(new Error('a secret of the house'), { code });
  }

  @Endpoint(wait)
  wait(@Parameters() { outcome }: ParametersOf<typeof wait>) {
    return new HijackedAnswer(lateOutcome(outcome));
  }

  @Endpoint(waitDirectly)
  waitIndirectly(@Parameters() { outcome }: ParametersOf<typeof waitDirectly>) {
    return new HijackedAnswer(lateOutcome(outcome));
  }

  @Get('large')
  large() {
    return 'x'.repeat(LARGE_BYTES);
  }

  @Get('plain')
  plain() {
    return { isPlain: true };
  }
}

const SLOW_MS = 50;

async function lateOutcome(outcome: string | undefined): Promise<object> {
  await delay(SLOW_MS);
  if (outcome === 'often') {
    throw new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 0.5 });
  }
  if (outcome === 'signed-out') throw new ApiError(signInErrors.invalidApiKey);
  if (outcome === 'failed') throw new Error('a secret of the house');
  if (outcome === 'no-json') return { text: 1n };
  return { text: outcome === 'large' ? 'x'.repeat(LARGE_BYTES) : 'late' };
}

const limitState: LimitState = { limit: 200, remaining: 0, resetsAt: 1_800_000_000 };

/** The authorizations that are let in once, and have been. */
export const seenOnce = new Set<string>();

/** Lets `Basic in` in, `Basic slow` too after a while, `Basic once` once, and finds the calls of `Basic often` used up. */
class StubAuthenticator implements Authenticator {
  authenticate(
    { authorization }: AuthRequest,
    access: Access,
    onCharged: OnCharged,
    charge?: Charge,
  ): Promise<Caller | null> {
    if (access === 'anyone') return Promise.resolve(null);
    if (authorization === undefined) return Promise.reject(new ApiError(signInErrors.notLoggedIn));
    if (charge !== 'own') onCharged(limitState);
    if (authorization === 'Basic in') return Promise.resolve(testCaller);
    if (authorization === 'Basic slow') return delay(SLOW_MS, testCaller);
    if (authorization === 'Basic once' && !seenOnce.has(authorization)) {
      seenOnce.add(authorization);
      return Promise.resolve(testCaller);
    }
    return authorization === 'Basic often'
      ? Promise.reject(new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 0.5 }))
      : Promise.reject(new ApiError(signInErrors.invalidApiKey));
  }

  known({ authorization }: Pick<AuthRequest, 'authorization'>): Caller | null {
    return authorization === 'Basic in' ? testCaller : null;
  }

  charge(_caller: Caller, onCharged: OnCharged): Promise<void> {
    onCharged(limitState);
    return Promise.resolve();
  }
}

@Module({ imports: [EdgeModule, stubAuth(StubAuthenticator)], controllers: [ThingController] })
class ThingModule {}

/** The edge around a few endpoints, listening. */
export interface EdgeTestApp {
  readonly port: number;
  /** Sends a request as it is. */
  send(path: string, options?: OutgoingRequest): Promise<Reply>;
  /** Sends a request below the API's prefix that is let in. */
  call(method: string, path: string, options?: OutgoingRequest): Promise<Reply>;
  /** The requests of the direct routes that have ended. */
  readonly ended: readonly EndedRequest[];
  /** How many connections the server has. */
  connections(): Promise<number>;
  /** From now on every response closes its connection. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const usualLimits: ConnectionLimits = {
  bodyMs: 30_000,
  sendStallMs: 30_000,
  keepAliveMs: 30_000,
  maxConnections: 1000,
  maxConnectionsPerAddress: 1000,
};

function addDirectThings(app: NestFastifyApplication, options: DirectRouteOptions): void {
  addDirectRoute(app, {
    declaration: waitDirectly,
    prepare: (request) => {
      const { outcome } = request.parameters;
      return Promise.resolve(
        outcome === 'unknown' ? null : () => request.send(lateOutcome(outcome)),
      );
    },
    ...options,
  });
  addDirectRoute(app, {
    declaration: addDirectly,
    prepare: charged(app, ({ parameters: fields }) => Promise.resolve({ given: fields })),
    ...options,
  });
}

/** Starts the app; `listeners` receive its ended requests. */
export async function startEdgeTestApp(
  given: Partial<ConnectionLimits> = {},
  listeners: readonly OnEnded[] = [],
): Promise<EdgeTestApp> {
  const limits = { ...usualLimits, ...given };
  const app = await NestFactory.create<NestFastifyApplication>(
    ThingModule,
    createEdgeAdapter([], limits),
    { logger: false, bodyParser: false },
  );
  const drain = new Drain(0);
  const ended: EndedRequest[] = [];
  await buildEdge(app, {
    limits,
    listeners,
    drain,
    directRoutes: [
      (_, { onEnded, sendStallMs }) => {
        const publish = (request: EndedRequest) => {
          ended.push(request);
          onEnded?.(request);
        };
        addDirectThings(app, { onEnded: publish, sendStallMs });
      },
    ],
  });
  await app.listen(0, '127.0.0.1');
  const server: Server = app.getHttpServer();
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const send = (path: string, options: OutgoingRequest = {}) =>
    sendRequest(`http://127.0.0.1:${port}${path}`, options);
  return {
    port,
    ended,
    send,
    call: (method, path, options = {}) =>
      send(`/api/v1${path}`, {
        ...options,
        method,
        headers: { authorization: 'Basic in', ...options.headers },
      }),
    connections: promisify(server.getConnections.bind(server)),
    drain: () => drain.run(),
    close: () => app.close(),
  };
}

/** A form as a body. */
export function form(fields: Readonly<Record<string, string>> | string): OutgoingRequest {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  const type = 'application/x-www-form-urlencoded';
  // Node sends the length of a DELETE's body only on request.
  return { headers: { 'content-type': type, 'content-length': String(body.length) }, body };
}
/** A body that says that it is JSON. */
export const jsonBody = (body: string) => ({
  headers: { 'content-type': 'application/json' },
  body,
});

/** A part of a multipart form with the boundary `edge`. */
export const part = (disposition: string, content: string): string =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
