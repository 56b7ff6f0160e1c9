import { make, part } from './dom.js';

const SHOWN_MS = 8000;
let timer;

/** Shows the result of an action in a corner of the page. */
export function say(text, tone = 'good') {
  const box = part('toast');
  box.className = `toast ${tone}`;
  box.textContent = text;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    box.hidden = true;
  }, SHOWN_MS);
}

/** Runs an action, and shows its result. `done` makes the text from the answer. */
export async function attempt(work, done) {
  try {
    say(done(await work()));
    return true;
  } catch (error) {
    say(error.message, 'bad');
    return false;
  }
}

/** Asks before an action that cannot be undone. Resolves with true if the user confirms. */
export function confirmed(question, verb) {
  const dialog = part('question');
  const cancel = make('button', { value: 'no', autofocus: true }, 'Cancel');
  const yes = make('button', { value: 'yes', className: 'harm' }, verb);
  dialog.replaceChildren(
    make('form', { method: 'dialog' }, make('p', {}, question), make('div', {}, cancel, yes)),
  );
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/**
 * Asks for texts. `fields` are lists of a name, a label and the attributes of the input. Resolves with the texts by their
 * names, or with null when the dialog is cancelled.
 */
export function asked(question, fields, verb) {
  const dialog = part('question');
  const inputs = fields.map(([name, label, properties]) =>
    make('label', {}, label, make('input', { name, autocomplete: 'off', ...properties })),
  );
  const cancel = make('button', { type: 'button' }, 'Cancel');
  cancel.addEventListener('click', () => dialog.close('no'));
  const form = make(
    'form',
    { method: 'dialog' },
    make('p', {}, question),
    ...inputs,
    make('div', {}, cancel, make('button', { value: 'yes', className: 'main' }, verb)),
  );
  dialog.replaceChildren(form);
  dialog.returnValue = 'no';
  dialog.showModal();
  const texts = () => Object.fromEntries(new FormData(form));
  return new Promise((resolve) => {
    const ended = () => resolve(dialog.returnValue === 'yes' ? texts() : null);
    dialog.addEventListener('close', ended, { once: true });
  });
}
