/**
 * Makes an element. Children are elements or texts; null and empty ones are left out. Texts are never parsed as
 * markup.
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== ''));
  return element;
}

/** The element of the page with this id. */
export const part = (id) => document.getElementById(id);

/** A button that cannot be pressed twice while its work is under way. */
export function workButton(text, { className = '', label, work }) {
  const button = make(
    'button',
    { type: 'button', className, ...(label && { ariaLabel: label }) },
    text,
  );
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await work();
    } finally {
      button.disabled = false;
    }
  });
  return button;
}

const drawn = new WeakMap();
const nameOf = (element) => element.dataset.name ?? element.ariaLabel ?? element.textContent;

/**
 * Redraws an element if its data have changed. A control that has the focus keeps it.
 */
export function redraw(element, content, draw) {
  const text = JSON.stringify(content);
  if (drawn.get(element) === text) return;
  drawn.set(element, text);
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  element.replaceChildren(...[draw(content)].flat());
  if (focused === null) return;
  const controls = [...element.querySelectorAll('a, button, summary')];
  controls.find((control) => nameOf(control) === focused)?.focus();
}

/**
 * A table with the names of its columns; rows are lists of cells. On a narrow page a row is a list, and each cell shows the
 * name of its column.
 */
export function table(columns, rows) {
  const cellOf = (cell, index) => make('td', { 'data-column': columns[index] }, cell);
  return make(
    'table',
    { className: 'rows' },
    make('thead', {}, make('tr', {}, ...columns.map((name) => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, ...rows.map((cells) => make('tr', {}, ...cells.map(cellOf)))),
  );
}

/** A word with a colour: `good`, `odd`, `bad` or none. */
export const sign = (text, tone = '') => make('span', { className: `sign ${tone}` }, text);

/** A note in place of an empty list. */
export const nothing = (text) => make('p', { className: 'nothing' }, text);
