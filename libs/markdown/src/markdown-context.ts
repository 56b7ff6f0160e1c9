import type { Env } from 'markdown-it';

/**
 * Who and what the names in a source stand for. Synchronous: whoever renders looks the names up before,
 * with `mentionsIn`. What is not found stays as it was written.
 */
export interface MarkdownContext {
  /** The id of an account by its full name, and by its number where the source gives one. */
  readonly findUser: (fullName: string, id: number | undefined) => number | undefined;
  readonly findGroup: (name: string) => number | undefined;
  readonly findChannel: (name: string) => number | undefined;
}

const contexts = new WeakMap<Env, MarkdownContext>();

/** What the parser hands to its rules during one rendering. */
export function environmentWith(context: MarkdownContext | undefined): Env {
  const environment: Env = {};
  if (context !== undefined) contexts.set(environment, context);
  return environment;
}

/** The context of the rendering that an environment belongs to. */
export const contextOf = (environment: Env): MarkdownContext | undefined =>
  contexts.get(environment);
