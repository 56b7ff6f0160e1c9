/** The paths of the operator's page. */
export const BELOW_OPS = /^\/ops(?:\/|$)/;

/** Which methods the routes below /ops take: for whoever comes to one of them with another. */
export class KnownRoutes {
  readonly #routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];

  /** A route as the router has it: with `:name` for a part of the path, and `*` for the rest. */
  add({
    url,
    method,
  }: {
    readonly url: string;
    readonly method: string | readonly string[];
  }): void {
    if (BELOW_OPS.test(url)) this.#routes.push({ path: pathLike(url), methods: [method].flat() });
  }

  /** The methods that a path takes, in order; none when nothing is there. */
  methodsOf(path: string): string[] {
    const fitting = this.#routes.filter((route) => route.path.test(path));
    return [...new Set(fitting.flatMap(({ methods }) => methods))].toSorted();
  }
}

function pathLike(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
