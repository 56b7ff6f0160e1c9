import { Database } from '#database';
import { Organisation, type Person } from '../support/organisation.js';
import { type Reply, sendRequest } from '../support/http-request.js';

/** The address of the API at which an account agrees. */
export async function beginRegistration(person: Person, provider: string): Promise<string> {
  const { status, body } = await person.api.post(`/calls/${provider}/register`);
  if (status !== 200) throw new Error(`register answers ${status}`);
  return String(body['url']);
}

/** What a browser does that opens `url`: follows the provider's redirect back; resolves with its address. */
export async function agree(url: string): Promise<string> {
  const { status, headers, text } = await sendRequest(url);
  if (status !== 302) throw new Error(`The provider answers ${status}: ${text}`);
  return String(headers.location);
}

/** Takes an account all the way: it agrees, and comes back. */
export async function register(person: Person, provider: string): Promise<Reply> {
  return sendRequest(await agree(await beginRegistration(person, provider)));
}

/** Someone who has agreed at a provider. */
export async function addRegistered(organisation: Organisation, provider: string): Promise<Person> {
  const person = await organisation.addPerson();
  const { status, text } = await register(person, provider);
  if (status !== 200) throw new Error(text);
  return person;
}

/** How many tokens are kept of an account. */
export const countTokens = ({ prisma }: Database, { id }: Person): Promise<number> =>
  prisma.videoCallToken.count({ where: { userId: id } });
