const MAX_ATTEMPTS = 10;

/**
 * Sends a request until it is answered without the framework, at most ten times. The framework answers after a change of any
 * sign-in, which another test file may make at the same Redis, and when a busy gateway has lost its lease.
 */
export async function untilDirect<Reply extends { readonly isDirect: boolean }>(
  send: () => Promise<Reply>,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await send();
    if (reply.isDirect || attempt === MAX_ATTEMPTS) return reply;
  }
}
