import sanitize from 'sanitize-html';

/** An element of some HTML, with what is in it. */
export interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly HtmlNode[];
}

export type HtmlNode = string | HtmlElement;

interface OpenElement extends HtmlElement {
  readonly children: HtmlNode[];
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** The elements and texts of some HTML; scripts and styles are not among them. */
export function htmlTree(html: string): readonly HtmlNode[] {
  const root: OpenElement = { tag: '', attributes: {}, children: [] };
  const open: OpenElement[] = [];
  const add = (node: HtmlNode) => (open.at(-1) ?? root).children.push(node);
  // Parses as a cleaning that keeps no element and whose result nobody looks at.
  sanitize(html, {
    allowedTags: [],
    allowedAttributes: false,
    onOpenTag: (tag, attributes) => {
      const element: OpenElement = { tag, attributes: { ...attributes }, children: [] };
      add(element);
      open.push(element);
    },
    onCloseTag: () => void open.pop(),
    textFilter: (text) => {
      add(text.replaceAll(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity));
      return '';
    },
  });
  return root.children;
}
