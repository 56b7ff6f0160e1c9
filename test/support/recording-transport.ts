import type { OutgoingPush, ProviderAnswer, PushTransport } from '#push/providers';

type Answer = (push: OutgoingPush) => ProviderAnswer | Promise<ProviderAnswer>;

/** Records the pushes that it receives; answers `accepted` unless a test sets another answer. */
export class RecordingTransport implements PushTransport {
  readonly sent: OutgoingPush[] = [];
  readonly #inFlight = new Set<Promise<ProviderAnswer>>();
  #answer: Answer = () => ({ kind: 'accepted' });

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    this.sent.push(push);
    const answer = (async () => this.#answer(push))();
    this.#inFlight.add(answer);
    return answer.finally(() => this.#inFlight.delete(answer));
  }

  async close(): Promise<void> {
    if (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }
}
