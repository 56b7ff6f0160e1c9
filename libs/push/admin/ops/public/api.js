/** An error that the server answered, or a missing answer. */
export class Refusal extends Error {}

/** The database stops a search of the whole ledger after 15 seconds. */
const DEADLINE_MS = 20_000;

const cookie = (name) =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

async function ask(path, { deadlineMs = DEADLINE_MS, ...options }) {
  let response;
  try {
    response = await fetch(`/ops/${path}`, {
      ...options,
      headers: { accept: 'application/json', ...options.headers },
      signal: AbortSignal.timeout(deadlineMs),
    });
  } catch {
    throw new Refusal('The gateway does not answer. This page tries again automatically.');
  }
  if (response.status === 401) {
    location.assign('/ops/sign-in');
    throw new Refusal('The session has ended.');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(answer.error ?? `The gateway answered ${response.status}.`);
  return answer;
}

export const get = (path, query = {}, options = {}) =>
  ask(`${path}?${new URLSearchParams(query)}`, options);

export const post = (path, fields = {}) =>
  ask(path, {
    method: 'POST',
    headers: { 'x-xsrf-token': cookie('XSRF-TOKEN') },
    body: new URLSearchParams(fields),
  });
