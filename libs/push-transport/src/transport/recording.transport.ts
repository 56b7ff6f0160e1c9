import type { OutgoingPush, ProviderAnswer, PushTransport } from './push-transport.js';

/** For tests: keeps what it is given, and answers as it is told, else with "accepted". */
export class RecordingTransport implements PushTransport {
  readonly sent: OutgoingPush[] = [];
  #answer: (push: OutgoingPush) => ProviderAnswer | Promise<ProviderAnswer> = () => ({
    kind: 'accepted',
  });

  answerWith(answer: (push: OutgoingPush) => ProviderAnswer | Promise<ProviderAnswer>): void {
    this.#answer = answer;
  }

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    this.sent.push(push);
    return this.#answer(push);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
