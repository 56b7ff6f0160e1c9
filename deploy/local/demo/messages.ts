import { type Actor, type DemoApi, granted } from './demo-api.js';

export const SEND_MESSAGE = ['POST', '/messages'] as const;
export const CHANGE_FLAGS = ['POST', '/messages/flags'] as const;

/** Sends a message, and resolves with its id. */
export async function send(
  api: DemoApi,
  sender: Actor,
  fields: { readonly type: string; readonly to: string; readonly content: string; topic?: string },
): Promise<number> {
  const expected = granted(`${sender.name} may send this message`);
  const { id } = await api.call(sender, SEND_MESSAGE, { ...fields }, expected);
  return Number(id);
}
