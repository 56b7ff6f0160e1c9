/** Makes an element. Children are elements or texts; null ones are left out. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** The element of the page with this id. */
export const part = (id) => document.getElementById(id);
