import type { ReceivedEvent } from './event-client.js';

interface Snippet {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

/** The part of the state of a registration that the writers of the chaos test change; messages are not part of it. */
export class ChangedState {
  readonly #snippets: Map<number, Snippet>;
  readonly #settings: Record<string, unknown>;

  constructor(state: Readonly<Record<string, unknown>>) {
    // A registration for these types has both members.
    const snippets = state['saved_snippets'] as readonly Snippet[];
    this.#snippets = new Map(snippets.map((snippet) => [snippet.id, snippet]));
    this.#settings = { ...(state['user_settings'] as object) };
  }

  apply(event: ReceivedEvent): void {
    if (event.type === 'message') return;
    if (event.type === 'user_settings') {
      this.#settings[String(event['property'])] = event['value'];
    } else if (event['op'] === 'remove') {
      this.#snippets.delete(Number(event['saved_snippet_id']));
    } else {
      const snippet = event['saved_snippet'] as Snippet;
      this.#snippets.set(snippet.id, snippet);
    }
  }

  /** A comparable form. */
  plain(): object {
    const snippets = [...this.#snippets.values()].toSorted((left, right) => left.id - right.id);
    return { snippets, settings: this.#settings };
  }
}

/** The name of a change, which is the same for the request and for its event. */
export const changes = {
  added: (title: string) => `add ${title}`,
  edited: (title: string) => `update ${title}`,
  sent: (content: string) => `message ${content}`,
  removed: (id: number) => `remove ${id}`,
};

/** Null for a setting: its values repeat, so that only the final state shows a lost event. */
export function changeOf(event: ReceivedEvent): string | null {
  if (event.type === 'user_settings') return null;
  if (event.type === 'message') {
    return changes.sent((event['message'] as { content: string }).content);
  }
  if (event['op'] === 'remove') return changes.removed(Number(event['saved_snippet_id']));
  const { title } = event['saved_snippet'] as Snippet;
  return event['op'] === 'add' ? changes.added(title) : changes.edited(title);
}
