import type { IncomingMessage, RequestListener } from 'node:http';
import { hasOneHost } from './connections.js';

/** Answers a request and resolves with true, or leaves it to the framework. Rejects only before it has answered. */
type DirectHandler = (...request: Parameters<RequestListener>) => Promise<boolean>;

interface Route {
  readonly method: string;
  readonly path: string;
  readonly handler: DirectHandler;
}

/** The routes of a server whose usual requests do not pass through the framework. */
export class DirectRoutes {
  /** A few: comparing with each takes less time than a key of the method and the path. */
  readonly #routes: Route[] = [];

  /** Adds the handler of the requests to a path with one method. */
  add(method: string, path: string, handler: DirectHandler): void {
    this.#routes.push({ method, path, handler });
  }

  /** A listener that passes all other requests to the framework. */
  before(framework: RequestListener): RequestListener {
    return (request, response) => {
      const route = this.#routes.find((each) => isTo(each, request));
      if (route === undefined || !hasOneHost(request)) return framework(request, response);
      route.handler(request, response).then(
        (isAnswered) => {
          if (!isAnswered) framework(request, response);
        },
        () => framework(request, response),
      );
    };
  }
}

const isTo = ({ method, path }: Route, { method: given, url = '' }: IncomingMessage): boolean =>
  method === given &&
  url.startsWith(path) &&
  (url.length === path.length || url[path.length] === '?');
