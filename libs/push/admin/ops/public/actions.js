import { get } from './api.js';
import { make, nothing, part, redraw, table } from './dom.js';
import { timeElement } from './format.js';

const EVERY_MS = 30_000;

/** Shows the newest changes by operators, now and every half minute. */
export async function watchActions() {
  try {
    const { actions } = await get('api/actions');
    redraw(part('action-table'), actions, actionTable);
  } catch (error) {
    redraw(part('action-table'), error.message, nothing);
  }
  setTimeout(watchActions, EVERY_MS);
}

function actionTable(actions) {
  if (actions.length === 0) return nothing('No operator has changed anything.');
  return table(
    ['When', 'Operator', 'Change', 'Of', 'Details'],
    actions.map(({ at, actor, action, target, details }) => [
      timeElement(at),
      actor,
      action,
      make('span', { className: 'mono' }, target),
      make('span', { className: 'mono' }, detailsText(details)),
    ]),
  );
}

const detailsText = (details) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : (value ?? '–')}`)
    .join('; ');
