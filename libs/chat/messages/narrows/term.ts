/** A user, as a term names them. */
export type PersonReference = { readonly id: number } | { readonly email: string };

/** States of a message for its reader, or of its topic. */
export const states = [
  'dm',
  'starred',
  'unread',
  'mentioned',
  'alerted',
  'resolved',
  'followed',
  'muted',
] as const;
export type State = (typeof states)[number];

export const contents = ['attachment', 'image', 'link', 'reaction'] as const;
export type Content = (typeof contents)[number];

export const channelKinds = ['public', 'web-public', 'archived'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The text of a search. */
export interface SearchText {
  /** Words in any order, separated by spaces; may be empty. */
  readonly words: string;
  /** Texts that a message must contain as they are, without regard to case. */
  readonly phrases: readonly string[];
}

type TermBody =
  | { readonly operator: 'channel'; readonly channel: number | string }
  | { readonly operator: 'channels'; readonly kind: ChannelKind }
  /** As it is stored: the empty topic is empty. */
  | { readonly operator: 'topic'; readonly topic: string }
  | { readonly operator: 'dm'; readonly people: readonly PersonReference[]; readonly given: string }
  | { readonly operator: 'dm-including'; readonly person: PersonReference; readonly given: string }
  | { readonly operator: 'sender'; readonly person: PersonReference; readonly given: string }
  | { readonly operator: 'mentions'; readonly person: PersonReference; readonly given: string }
  | { readonly operator: 'is'; readonly state: State }
  | { readonly operator: 'has'; readonly content: Content }
  | { readonly operator: 'in'; readonly isHome: boolean }
  | { readonly operator: 'id'; readonly messageId: number }
  | { readonly operator: 'near' }
  | { readonly operator: 'with'; readonly messageId: number }
  | { readonly operator: 'search'; readonly text: SearchText };

/** One condition of a narrow. */
export type Term = TermBody & { readonly isNegated: boolean };

/** A term with one operator. */
export type TermOf<Operator extends Term['operator']> = Term & { readonly operator: Operator };
