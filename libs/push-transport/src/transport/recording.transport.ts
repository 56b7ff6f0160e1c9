import type { OutgoingPush, ProviderAnswer, PushTransport } from './push-transport.js';
import { UnderWay } from './under-way.js';

/** For tests: keeps what it is given, and answers as it is told, else with "accepted". */
export class RecordingTransport implements PushTransport {
  readonly sent: OutgoingPush[] = [];
  readonly #underWay = new UnderWay();
  #answer: (push: OutgoingPush) => ProviderAnswer | Promise<ProviderAnswer> = () => ({
    kind: 'accepted',
  });

  answerWith(answer: (push: OutgoingPush) => ProviderAnswer | Promise<ProviderAnswer>): void {
    this.#answer = answer;
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    this.sent.push(push);
    return this.#underWay.run(async () => this.#answer(push));
  }

  close(): Promise<void> {
    return this.#underWay.end();
  }
}
