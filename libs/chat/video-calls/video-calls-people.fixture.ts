import { Database } from '#platform/database';
import { type Reply, sendRequest } from '#test/http-request';
import { Organisation, type Person } from '#test/organisation';

/** Starts a registration; resolves with the address of the consent page. */
export async function beginRegistration(person: Person, provider: string): Promise<string> {
  const { status, body } = await person.api.post(`/calls/${provider}/register`);
  if (status !== 200) throw new Error(`register answers ${status}`);
  return String(body['url']);
}

/** Opens the consent page; resolves with the address that the provider redirects to. */
export async function consent(url: string): Promise<string> {
  const { status, headers, text } = await sendRequest(url);
  if (status !== 302) throw new Error(`The provider answers ${status}: ${text}`);
  return String(headers.location);
}

/** Completes the registration of an account. */
export async function register(person: Person, provider: string): Promise<Reply> {
  return sendRequest(await consent(await beginRegistration(person, provider)));
}

/** Adds a person who is registered at a provider. */
export async function addRegistered(organisation: Organisation, provider: string): Promise<Person> {
  const person = await organisation.addPerson();
  const { status, text } = await register(person, provider);
  if (status !== 200) throw new Error(text);
  return person;
}

/** The number of stored tokens of an account. */
export const countTokens = ({ prisma }: Database, { id }: Person): Promise<number> =>
  prisma.videoCallToken.count({ where: { userId: id } });
