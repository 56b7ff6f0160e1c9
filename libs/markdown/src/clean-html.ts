import sanitize from 'sanitize-html';

const allowedTags = [
  'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li table thead tbody tr th td',
  'strong em del code pre a span div time',
].flatMap((names) => names.split(' '));

const options: sanitize.IOptions = {
  allowedTags,
  allowedAttributes: {
    a: ['href', 'title', 'data-stream-id'],
    div: ['aria-hidden', 'data-code-language'],
    ol: ['start'],
    span: ['data-user-id', 'data-user-group-id'],
    time: ['datetime'],
  },
  allowedClasses: {
    a: ['stream', 'stream-topic', 'message-link'],
    div: ['codehilite', 'spoiler-block', 'spoiler-header', 'spoiler-content'],
    span: ['user-mention', 'channel-wildcard-mention', 'user-group-mention', 'silent'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: 100,
};

/**
 * Drops whatever is not on the list of what Markdown can become. The parser makes nothing else; this
 * stands behind it, so that a fault there is no hole.
 */
export const cleanHtml = (html: string): string =>
  sanitize(html, options).replaceAll(/<([bh]r) \/>/g, '<$1>');
