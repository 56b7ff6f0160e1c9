import { FormRequest } from './form-request.js';
import { HttpConnection } from './http-connection.js';
import { isSuccess, type PushUser, TEST_PATH } from './push-crowd.js';

/** A user who makes requests of one kind over one connection; test notifications, unless another path is given. */
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

  /** `fields` are in ASCII and encoded. Resolves with the answer, and rejects when that is a refusal. */
  async ask(fields = ''): Promise<void> {
    const { status, body } = await this.connection.exchange(this.#request.with(fields));
    if (!isSuccess(status, body)) throw new Error(`Answered with ${status}: ${body}`);
  }

  close(): void {
    this.connection.close();
  }
}
