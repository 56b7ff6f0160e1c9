import type { MarkdownContext } from '#platform/markdown';

/** A link in a topic, which clients show beside it. */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** Finds the links in a topic. */
export type TopicLinks = (topic: string) => readonly TopicLink[];

/** Without the punctuation behind it. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]']/gi;

/** The links in a topic: the matches of linkifiers, and web addresses where no linkifier matches. In the order of the topic. */
export function topicLinksIn(
  topic: string,
  linksIn: MarkdownContext['linksIn'] = () => [],
): TopicLink[] {
  const found = linksIn(topic);
  const addresses = [...topic.matchAll(WEB_ADDRESS)]
    .map(({ 0: address, index }) => ({ start: index, end: index + address.length, address }))
    .filter(({ start, end }) => !found.some((link) => start < link.end && link.start < end));
  return [...found, ...addresses]
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end, address }) => ({ text: topic.slice(start, end), url: address }));
}
