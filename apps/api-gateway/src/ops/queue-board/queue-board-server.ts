import { readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { escapeHtml } from '../page/message-page.js';
import { ServedFiles } from '../page/served-files.js';

/** Everything in the page comes from here. Its scripts put style sheets and styled elements into it. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Their names change with their content. */
const FOR_A_DAY = 'private, max-age=86400';

/** A font from a foreign server, without which the page is as good. */
const FOREIGN_LINK = /<link\b[^>]*\bhref="https?:[^>]*>\s*/g;
const BLANK = /<%([=-])\s*(\w+)\s*%>/g;

/**
 * Serves Bull Board as a plugin of Fastify. The package that does so for Fastify loads fonts from a
 * foreign server, and a template engine for five blanks.
 */
export class QueueBoardServer implements IServerAdapter {
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

  /** Errors are answered as everywhere below /ops. */
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

  /** Adds the routes to a scope whose prefix is the base path. */
  serve(scope: FastifyInstance): void {
    this.#serveFiles(scope);
    this.#servePages(scope);
    // Only what looks: nothing that changes a queue has a route.
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
        // The router gives these shapes.
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
      return reply.header('Cache-Control', FOR_A_DAY).type(file.type).send(file.content);
    });
  }

  #servePages(scope: FastifyInstance): void {
    const entry = this.#entry;
    if (entry === undefined) return;
    const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.#uiConfig });
    const template = readFileSync(path.join(this.#viewsPath, name), 'utf8');
    const page = filled(template.replaceAll(FOREIGN_LINK, ''), params);
    for (const url of [entry.route].flat()) {
      scope.get(url, (_request, reply) => reply.headers(HEADERS).send(page));
    }
  }
}

/** The blanks of a template, `<%= escaped %>` and `<%- as it is %>`, filled in. */
const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(BLANK, (_blank, kind: string, name: string) => {
    const value = values[name] ?? '';
    return kind === '=' ? escapeHtml(value) : value;
  });
