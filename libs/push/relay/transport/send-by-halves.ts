import { isTemporary, meaningOf, type ServiceAnswer } from '../service-answer.rules.js';

/** Pushes that were sent in one request, and its answer. */
interface AnsweredPushes<Push> {
  readonly pushes: readonly Push[];
  readonly answer: ServiceAnswer;
  /** Whether it refuses them together for a fault that only some may have. */
  readonly isOfSome: boolean;
}

/** Enough for two faulty pushes among 500. With more of them, or if the service refuses everything, the others stay together. */
const MAX_REQUESTS = 40;

/**
 * Sends pushes in one request. For a fault of one push a service refuses the whole request, and a proxy one that is too large.
 * Then each half is sent by itself, and so on, until only the faulty push is refused, or the requests are used up. Resolves with
 * the answer to each part; no push is in two.
 */
export async function sendByHalves<Push>(
  all: readonly Push[],
  send: (pushes: readonly Push[]) => Promise<ServiceAnswer>,
): Promise<readonly AnsweredPushes<Push>[]> {
  let requestsLeft = MAX_REQUESTS;
  const sendPart = async (pushes: readonly Push[]): Promise<AnsweredPushes<Push>[]> => {
    requestsLeft -= 1;
    const answer = await send(pushes);
    const isOfSome = pushes.length > 1 && mayPassInHalves(answer);
    if (!isOfSome || requestsLeft < 2) return [{ pushes, answer, isOfSome }];
    const middle = Math.ceil(pushes.length / 2);
    // At the same time: the service answers to an accepted half after its providers.
    const halves = [pushes.slice(0, middle), pushes.slice(middle)];
    return (await Promise.all(halves.map(sendPart))).flat();
  };
  return sendPart(all);
}

/** Whether the fault may be in one push, or in the size of the request: a proxy often allows a megabyte. */
const mayPassInHalves = (answer: ServiceAnswer): boolean =>
  ('status' in answer && answer.status === 413) || mayConcernOnePush(answer);

const mayConcernOnePush = (answer: ServiceAnswer): boolean =>
  answer.kind === 'refused' &&
  answer.status === 400 &&
  !isTemporary(answer) &&
  meaningOf(answer.code).isOfRealm !== true;
