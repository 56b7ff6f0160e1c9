import { readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { escapedHtml } from '#platform/core';
import { fastifyOf } from '#platform/http';
import { ServedFiles } from '#platform/pages';
import { QueueBoard } from '#platform/queue';

const BASE_PATH = '/ops/queues';

/** Serves Bull Board to the operator, read-only. Called by `serveOps`, which authenticates its routes. */
export async function serveQueueBoard(app: NestFastifyApplication): Promise<void> {
  // Loaded only if the page is on.
  const { createBullBoard } = await import('@bull-board/api');
  const server = new QueueBoardServer(BASE_PATH);
  createBullBoard({
    queues: await app.get(QueueBoard, { strict: false }).adapters(),
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Carillon queues',
        favIcon: { default: '/ops/files/icon.svg', alternative: '/ops/files/icon.svg' },
        miscLinks: [{ text: 'Operations', url: '/ops' }],
        hideDocsLink: true,
      },
    },
  });
  await fastifyOf(app).register(
    (scope, _options, done) => {
      server.serve(scope);
      done();
    },
    { prefix: BASE_PATH },
  );
}

/** All resources are local. The scripts of Bull Board add inline styles. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** File names change with their content. */
const CACHE_FOR_A_DAY = 'private, max-age=86400';

/** Web fonts; the page works without them. */
const EXTERNAL_LINK = /<link\b[^>]*\bhref="https?:[^>]*>\s*/g;
const PLACEHOLDER = /<%([=-])\s*(\w+)\s*%>/g;

/**
 * Serves Bull Board as a Fastify plugin. The official adapter loads fonts from another server, and a template engine
 * for five placeholders.
 */
class QueueBoardServer implements IServerAdapter {
  #queues: BullBoardQueues = new Map();
  #uiConfig: UIConfig = {};
  #apiRoutes: readonly AppControllerRoute[] = [];
  #entry: AppViewRoute | undefined;
  #viewsPath = '';
  #files = new ServedFiles();

  constructor(private readonly basePath: string) {}

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues;
    return this;
  }

  setViewsPath(viewsPath: string): this {
    this.#viewsPath = viewsPath;
    return this;
  }

  setStaticPath(_route: string, folder: string): this {
    this.#files = new ServedFiles().addFolder(folder);
    return this;
  }

  setEntryRoute(route: AppViewRoute): this {
    this.#entry = route;
    return this;
  }

  /** Not used: `serveOps` answers errors. */
  setErrorHandler(): this {
    return this;
  }

  setApiRoutes(routes: readonly AppControllerRoute[]): this {
    this.#apiRoutes = routes;
    return this;
  }

  setUIConfig(uiConfig: UIConfig): this {
    this.#uiConfig = uiConfig;
    return this;
  }

  /** Adds the routes to a scope with the base path as its prefix. */
  serve(scope: FastifyInstance): void {
    this.#serveFiles(scope);
    this.#servePages(scope);
    // Only reads: routes that change a queue are left out.
    for (const { method, route, handler } of this.#apiRoutes) {
      if (![method].flat().includes('get')) continue;
      for (const url of [route].flat()) scope.get(url, this.#answering(handler));
    }
  }

  #answering(handler: AppControllerRoute['handler']): RouteHandlerMethod {
    return async (request, reply) => {
      const answer = await handler({
        queues: this.#queues,
        uiConfig: this.#uiConfig,
        // The router guarantees these types.
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string>,
        body: {},
        headers: {},
      });
      return reply
        .status(answer.status ?? 200)
        .type('application/json')
        .send(JSON.stringify(answer.body ?? {}));
    };
  }

  #serveFiles(scope: FastifyInstance): void {
    scope.get<{ Params: { '*': string } }>('/static/*', async (request, reply) => {
      const file = await this.#files.read(request.params['*']);
      if (file === null) return reply.callNotFound();
      return reply.header('Cache-Control', CACHE_FOR_A_DAY).type(file.type).send(file.content);
    });
  }

  #servePages(scope: FastifyInstance): void {
    const entry = this.#entry;
    if (entry === undefined) return;
    const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.#uiConfig });
    const template = readFileSync(path.join(this.#viewsPath, name), 'utf8');
    const page = fill(template.replaceAll(EXTERNAL_LINK, ''), params);
    for (const url of [entry.route].flat()) {
      scope.get(url, (_request, reply) => reply.headers(HEADERS).send(page));
    }
  }
}

/** Fills the placeholders of a template: `<%= escaped %>` and `<%- raw %>`. */
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(PLACEHOLDER, (_match, kind: string, name: string) => {
    const value = values[name] ?? '';
    return kind === '=' ? escapedHtml(value) : value;
  });
