import { FormRequest } from './form-request.js';
import { HttpConnection } from './http-connection.js';
import { isSuccess, type PushUser, TEST_PATH } from './push-crowd.js';

/** A user who sends requests to one endpoint over one connection. The default endpoint sends test notifications. */
export class AskingUser {
  readonly #request: FormRequest;

  private constructor(
    private readonly connection: HttpConnection,
    user: PushUser,
    path: string,
  ) {
    this.#request = new FormRequest(user.host, path, user);
  }

  static async connect(port: number, user: PushUser, path = TEST_PATH): Promise<AskingUser> {
    return new AskingUser(await HttpConnection.open(port), user, path);
  }

  /** `fields` are ASCII and URL-encoded. Rejects if the server refuses the request. */
  async ask(fields = ''): Promise<void> {
    const { status, body } = await this.connection.exchange(this.#request.with(fields));
    if (!isSuccess(status, body)) throw new Error(`Answered with ${status}: ${body}`);
  }

  close(): void {
    this.connection.close();
  }
}
