import type { ProviderAnswer } from './push-transport.js';

/** Resolves with the answer, or gives up and says so when none has come in time. */
export async function withinDeadline(
  deadlineMs: number,
  sending: Promise<ProviderAnswer>,
  giveUp: () => void,
): Promise<ProviderAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<ProviderAnswer>((resolve) => {
    timer = setTimeout(() => {
      giveUp();
      resolve({ kind: 'unanswered', reason: 'deadline' });
    }, deadlineMs);
  });
  try {
    return await Promise.race([sending, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
