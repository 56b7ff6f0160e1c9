/** What the server said, or that it said nothing. */
export class Refusal extends Error {}

const DEADLINE_MS = 10_000;

const cookie = (name) =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

async function ask(path, options) {
  let response;
  try {
    response = await fetch(`/ops/${path}`, {
      ...options,
      headers: { accept: 'application/json', ...options.headers },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch {
    throw new Refusal('The gateway does not answer. This page tries again by itself.');
  }
  if (response.status === 401) {
    location.assign('/ops/sign-in');
    throw new Refusal('The session has ended.');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(answer.error ?? `The gateway answered ${response.status}.`);
  return answer;
}

export const get = (path, query = {}) => ask(`${path}?${new URLSearchParams(query)}`, {});

export const post = (path, fields = {}) =>
  ask(path, {
    method: 'POST',
    headers: { 'x-xsrf-token': cookie('XSRF-TOKEN') },
    body: new URLSearchParams(fields),
  });
