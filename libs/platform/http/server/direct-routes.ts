import type { RequestListener } from 'node:http';

/** Answers a request, or passes it to the framework. Rejects only before it has done either. */
export type DirectHandler = (
  ...request: [...Parameters<RequestListener>, framework: RequestListener]
) => Promise<void>;

/** The routes of a server whose usual requests do not pass through the framework, by path. */
export class DirectRoutes {
  readonly #handlers = new Map<string, DirectHandler>();

  /** Adds the handler of GET requests to a path. */
  add(path: string, handler: DirectHandler): void {
    this.#handlers.set(path, handler);
  }

  /** A listener that passes all other requests to the framework. */
  before(framework: RequestListener): RequestListener {
    return (request, response) => {
      const { method, url = '' } = request;
      const handler = method === 'GET' ? this.#handlers.get(pathOf(url)) : undefined;
      if (handler === undefined) framework(request, response);
      else handler(request, response, framework).catch(() => framework(request, response));
    };
  }
}

const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};
