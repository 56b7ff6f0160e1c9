import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyOf } from '#edge';
import { BELOW_OPS, KnownRoutes } from './known-routes.js';
import { sendOpsError } from './ops-error.filter.js';
import { serveQueueBoard } from './queue-board/serve-queue-board.js';
import { OperatorGate } from './sign-in/operator-gate.js';

const READING = ['GET', 'HEAD'];
const OTHERS = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** What needs no sign-in: the form that asks for the token, and the files of the pages, which hold no data. */
const FOR_ANYONE = /^\/ops\/(?:$|sign-in$|files\/)/;

/** A choice of a thousand dead letters by their ids. */
const BODY_LIMIT_BYTES = 131_072;

/**
 * Guards everything below /ops, before any body is read, and serves what of the operator's page is no
 * controller: Bull Board, unless the page is off, and an answer to every other path below /ops, and to every
 * other method. Call it before the app listens.
 */
export async function serveOps(
  app: NestFastifyApplication,
  { token }: { readonly token: string | undefined },
): Promise<void> {
  const gate = app.get(OperatorGate, { strict: false });
  const fastify = fastifyOf(app);
  const known = new KnownRoutes();
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    answerOther(known, request, reply);
  // The controllers' routes come later, when the app is initialised.
  fastify.addHook('onRoute', (route) => {
    if (!BELOW_OPS.test(route.url)) return;
    if (route.handler !== handler) known.add(route);
    route.errorHandler = (error, request, reply) => sendOpsError(request, reply, error);
    if (FOR_ANYONE.test(route.url)) return;
    route.bodyLimit = BODY_LIMIT_BYTES;
    route.onRequest = (request) => gate.admit(request);
  });
  if (token !== undefined) await serveQueueBoard(app);
  fastify.get('/ops/', (_request, reply) => reply.redirect('/ops', 308));
  fastify.route({ method: READING, url: '/ops/*', handler });
  for (const url of ['/ops', '/ops/*']) fastify.route({ method: OTHERS, url, handler });
}

/** Throws what is to be answered to a request that no route takes, but for OPTIONS. */
async function answerOther(
  known: KnownRoutes,
  { method, url }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [path = ''] = url.split('?');
  const methods = known.methodsOf(path);
  if (methods.length === 0) throw new NotFoundException(`There is no ${method} ${path}.`);
  reply.header('Allow', methods.join(', '));
  if (method === 'OPTIONS') return reply.status(204).send();
  throw new MethodNotAllowedException(`${path} takes ${methods.join(', ')}, and no ${method}.`);
}
