import { FormRequest } from './form-request.js';
import { HttpConnection } from './http-connection.js';
import { isSuccess, type PushUser, TEST_PATH } from './push-crowd.js';

/** A user who asks for test notifications over one connection. */
export class AskingUser {
  readonly #request: string;

  private constructor(
    private readonly connection: HttpConnection,
    user: PushUser,
  ) {
    this.#request = new FormRequest(user.host, TEST_PATH, user).with('');
  }

  static async connect(port: number, user: PushUser): Promise<AskingUser> {
    return new AskingUser(await HttpConnection.open(port), user);
  }

  /** For all devices; resolves with the answer, and rejects when that is a refusal. */
  async askForTest(): Promise<void> {
    const { status, body } = await this.connection.exchange(this.#request);
    if (!isSuccess(status, body)) throw new Error(`Answered with ${status}: ${body}`);
  }

  close(): void {
    this.connection.close();
  }
}
