/** Makes an element. Children are elements or texts; null ones are left out. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** The element of the page with this id. */
export const part = (id) => document.getElementById(id);

/**
 * Makes the children of an element equal to `items`. Children that do not change stay, and a button with the focus keeps
 * it.
 */
export function update(element, items) {
  items.forEach((item, index) => {
    const old = element.children[index];
    if (old === undefined) element.append(item);
    else if (!old.isEqualNode(item)) replace(old, item);
  });
  while (element.children.length > items.length) element.lastElementChild.remove();
}

function replace(old, item) {
  const focused = [...old.querySelectorAll('button')].indexOf(document.activeElement);
  old.replaceWith(item);
  item.querySelectorAll('button')[focused]?.focus();
}
