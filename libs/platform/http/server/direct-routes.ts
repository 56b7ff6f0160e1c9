import type { RequestListener } from 'node:http';

/** Answers a request, or passes it to the framework. Rejects only before it has done either. */
export type DirectHandler = (
  ...request: [...Parameters<RequestListener>, framework: RequestListener]
) => Promise<void>;

/** The routes of a server whose usual requests do not pass through the framework. */
export class DirectRoutes {
  readonly #handlers = new Map<string, DirectHandler>();

  /** Adds the handler of the requests to a path with one method. */
  add(method: string, path: string, handler: DirectHandler): void {
    this.#handlers.set(`${method} ${path}`, handler);
  }

  /** A listener that passes all other requests to the framework. */
  before(framework: RequestListener): RequestListener {
    return (request, response) => {
      const { method, url = '' } = request;
      const handler = this.#handlers.get(`${method} ${pathOf(url)}`);
      if (handler === undefined) framework(request, response);
      else handler(request, response, framework).catch(() => framework(request, response));
    };
  }
}

const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};
