import { make, part } from './dom.js';

const SHOWN_MS = 8000;
let timer;

/** Says in a corner what has been done, or what could not be. */
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

/** Does something, and says how it went. `done` makes the words of the answer. */
export async function attempt(work, done) {
  try {
    say(done(await work()));
    return true;
  } catch (error) {
    say(error.message, 'bad');
    return false;
  }
}

/** Asks before what cannot be undone; resolves with whether it is to be done. */
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
