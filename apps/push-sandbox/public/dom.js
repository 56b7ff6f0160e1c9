/**
 * Makes an element. Children are elements or texts. Texts are never parsed as markup, because they come from
 * notifications.
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ''));
  return element;
}

/** Makes an SVG picture of one path. */
export function picture(path, className) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

/** The first and last characters of a long token, which distinguish it from others. */
export function shortToken(token) {
  return token.length <= 16 ? token : `${token.slice(0, 8)}…${token.slice(-6)}`;
}

/** A moment in UNIX seconds as the time of day. */
export function clockTime(seconds, options = { timeStyle: 'medium' }) {
  return new Intl.DateTimeFormat(undefined, options).format(new Date(seconds * 1000));
}

/** The result of a delivery, in two or three words. */
export function outcomeText({ status, reason }) {
  if (status === null) return `Unanswered: ${reason}`;
  return reason === null ? String(status) : `${status} ${reason}`;
}
