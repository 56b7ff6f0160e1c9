import { Correspondence } from '../integration/messages.organisation.js';
import type { Reply } from '../support/http-request.js';
import { addOrganisation, type Person } from '../support/organisation.js';
import { startSystem, type System } from '../support/start-system.js';
import { ToldPhones } from '../support/told-phones.js';

/** People of one organisation, who write to each other and are told of it on their phones. */
export interface ToldPeople {
  readonly phones: ToldPhones;
  readonly mail: Correspondence;
  readonly ann: Person;
}

/** A system whose people may send as much as a test likes. */
export const startToldSystem = (): Promise<System> =>
  startSystem({ environment: { RATE_LIMIT_USER: '60:1000000' } });

export async function gatherPeople(system: System): Promise<ToldPeople> {
  const organisation = await addOrganisation(system);
  return {
    phones: new ToldPhones(system, organisation),
    mail: new Correspondence(system, organisation),
    ann: await organisation.addPerson({ fullName: 'Ann Écru' }),
  };
}

export const idOf = ({ body }: Reply): number => Number(body['id']);
