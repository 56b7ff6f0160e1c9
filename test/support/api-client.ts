import { type OutgoingRequest, type Reply, sendRequest } from './http-request.js';

/** The credentials of an account. */
export interface Credentials {
  readonly email: string;
  readonly api_key: string;
  /** The `Host` header, if it differs from the address. */
  readonly host?: string;
}

/** Request parameters; a value that is not a string is sent as JSON text, as the clients of this API do. */
export type Fields = Readonly<Record<string, unknown>>;

/** A client of the gateway's API with Basic authentication and form fields. Paths are relative to `/api/v1`. */
export class ApiClient {
  constructor(
    private readonly gatewayUrl: string,
    private readonly credentials: Credentials | null = null,
  ) {}

  get(path: string, query: Fields = {}): Promise<Reply> {
    return this.send('GET', `${path}?${encodeForm(query)}`);
  }

  post(path: string, fields: Fields = {}): Promise<Reply> {
    return this.#sendForm('POST', path, fields);
  }

  patch(path: string, fields: Fields = {}): Promise<Reply> {
    return this.#sendForm('PATCH', path, fields);
  }

  delete(path: string, fields: Fields = {}): Promise<Reply> {
    return this.#sendForm('DELETE', path, fields);
  }

  /** Sends a request with any body and headers; these headers override the defaults. */
  send(
    method: string,
    path: string,
    { headers, body }: Omit<OutgoingRequest, 'method'> = {},
  ): Promise<Reply> {
    return sendRequest(`${this.gatewayUrl}/api/v1${path}`, {
      method,
      headers: { ...headersOf(this.credentials), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  #sendForm(method: string, path: string, fields: Fields): Promise<Reply> {
    return this.send(method, path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encodeForm(fields),
    });
  }
}

function headersOf(credentials: Credentials | null): Record<string, string> {
  if (credentials === null) return {};
  const { host } = credentials;
  return { authorization: basicAuthorization(credentials), ...(host !== undefined && { host }) };
}

export const encodeForm = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

/** The `Authorization` header for these credentials. */
export const basicAuthorization = ({ email, api_key }: Credentials): string =>
  `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
