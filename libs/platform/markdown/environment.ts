import type { Env } from 'markdown-it';

/** A Unicode emoji by its code, or a picture by its path. */
export type EmojiMatch = { readonly code: string } | { readonly picture: string };

/** An account or a group that a name stands for. */
export interface NameMatch {
  readonly id: number;
  /** In its own spelling. */
  readonly name: string;
  /** False for a deactivated one, whose mention is silent. */
  readonly isActive: boolean;
}

/** A part of a text that is a link: from `start` to before `end`. */
export interface LinkMatch {
  readonly start: number;
  readonly end: number;
  readonly address: string;
}

/**
 * The names, links and settings of an organisation for a rendering. Synchronous: the caller reads the names before,
 * with `mentionedNames`. A name that is not found stays plain text.
 */
export interface MarkdownContext {
  /** `id` is the number that the source gives beside the name, if any. With a number the name may be empty. */
  readonly findUser: (fullName: string, id: number | undefined) => NameMatch | undefined;
  readonly findGroup: (name: string) => NameMatch | undefined;
  readonly findChannel: (name: string) => number | undefined;
  /** A message of the topic of a channel, which leads to the topic when it has another name; none without messages. */
  readonly findTopic?: (channel: string, topic: string) => number | undefined;
  /** The emoji that `:name:` stands for. */
  readonly findEmoji?: (name: string) => EmojiMatch | undefined;
  /** A name of the Unicode emoji with a code, without variation selectors; none for an emoji that stays text. */
  readonly nameOfEmoji?: (code: string) => string | undefined;
  /** Whether emoticons such as `:)` become emoji. */
  readonly hasEmoticons?: boolean;
  /** The address of the organisation, without a slash at its end. Links to it become relative. */
  readonly address?: string;
  /** The address at which clients load a picture or video that a link of the source names; none without a preview. */
  readonly previewOf?: (address: string) => string | undefined;
  /** What the file is that an address of an upload names; none for an unknown or another file. */
  readonly mediaOf?: (address: string) => 'image' | 'audio' | undefined;
  /** The links that linkifiers find in a text, in order and without overlaps. */
  readonly linksIn?: (text: string) => readonly LinkMatch[];
}

/** Parts of a rendering with a cost of their own. */
type CostlyPart = 'formulas' | 'code' | 'emoji' | 'links' | 'previews' | 'alignments';

interface Limit {
  /** How much one rendering converts: of formulas and code about the number of characters. */
  readonly amount: number;
  /** The HTML that one of them may become. */
  readonly growth: number;
}

const LIMITS: Readonly<Record<CostlyPart, Limit>> = {
  formulas: { amount: 1500, growth: 120 },
  code: { amount: 5000, growth: 15 },
  emoji: { amount: 500, growth: 150 },
  links: { amount: 100, growth: 1000 },
  previews: { amount: 24, growth: 2000 },
  alignments: { amount: 1000, growth: 40 },
};

const emptyContext: MarkdownContext = {
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
};

interface Rendering {
  readonly context: MarkdownContext;
  /** The converted amounts of costly parts. */
  readonly converted: Partial<Record<CostlyPart, number>>;
  growth: number;
}

const renderings = new WeakMap<object, Rendering>();

/** The environment as the rules of the parser get it. */
type Environment = Env | undefined;

const renderingOf = (environment: Environment): Rendering | undefined =>
  environment === undefined ? undefined : renderings.get(environment);

/** The parser's environment for one rendering. */
export function environmentWith(context: MarkdownContext = emptyContext): Env {
  const environment: Env = {};
  renderings.set(environment, { context, converted: {}, growth: 0 });
  return environment;
}

/** The context of a rendering. Without a context, nothing is found. */
export const contextOf = (environment: Environment): MarkdownContext =>
  renderingOf(environment)?.context ?? emptyContext;

/** Whether a rendering has a context, and so an organisation. */
export const hasContext = (environment: Environment): boolean =>
  contextOf(environment) !== emptyContext;

/** Adds to a costly part of a rendering. False if that would be more than one rendering converts. */
export function mayConvert(environment: Environment, part: CostlyPart, amount: number): boolean {
  const rendering = renderingOf(environment);
  const total = (rendering?.converted[part] ?? 0) + amount;
  if (rendering === undefined || total > LIMITS[part].amount) return false;
  rendering.converted[part] = total;
  rendering.growth += amount * LIMITS[part].growth;
  return true;
}

/** The HTML of all costly parts together. */
const MAX_GROWTH = 130_000;

/** The length by which the converted parts may lengthen the HTML. */
export const growthOf = (environment: Environment): number =>
  Math.min(renderingOf(environment)?.growth ?? 0, MAX_GROWTH);
