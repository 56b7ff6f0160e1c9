import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Drain } from '#platform/core';
import type { DirectRouteOptions } from './add-direct-route.js';
import { closeWhileDraining, fastifyOf, serveEndpoints } from './configure-edge.js';
import { type ConnectionLimits, defaultConnectionLimits } from './connections.js';
import { type OnEnded, publishEndedRequests } from './ended-requests.js';

type AddHooks = (fastify: FastifyInstance) => void;

/** The parts of an edge. */
interface EdgeParts {
  readonly limits?: ConnectionLimits;
  /** Add hooks that see each request, also one that the edge answers itself. */
  readonly observers?: readonly AddHooks[];
  /** Receive each request that has ended. */
  readonly listeners?: readonly OnEnded[];
  /** Responses close their connections while it drains. */
  readonly drain?: Drain;
  /** Add hooks that may refuse a request after its sign-in. */
  readonly guards?: readonly AddHooks[];
  /** Add routes that answer without the framework, and so without its hooks. */
  readonly directRoutes?: readonly ((
    app: NestFastifyApplication,
    options: DirectRouteOptions,
  ) => void)[];
  /** Add routes that are no endpoints. */
  readonly routes?: readonly ((app: NestFastifyApplication) => Promise<void>)[];
}

/**
 * Builds the edge of an application that does not listen yet, of `createEdgeAdapter` and with `bodyParser: false`. The
 * order of the steps is that of the hooks of a request: a hook of the endpoints may already answer it.
 */
export async function buildEdge(
  app: NestFastifyApplication,
  {
    limits = defaultConnectionLimits,
    observers = [],
    listeners = [],
    drain,
    guards = [],
    directRoutes = [],
    routes = [],
  }: EdgeParts = {},
): Promise<void> {
  const fastify = fastifyOf(app);
  for (const addHooks of observers) addHooks(fastify);
  const onEnded = publishEndedRequests(fastify, listeners);
  if (drain !== undefined) closeWhileDraining(fastify, drain);
  await serveEndpoints(app, limits);
  for (const addHooks of guards) addHooks(fastify);
  for (const addRoute of directRoutes) addRoute(app, { onEnded, ...limits });
  for (const addRoute of routes) await addRoute(app);
}
