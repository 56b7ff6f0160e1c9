import { Correspondence } from '#test/messages-organisation';
import { addOrganisation, type Person } from '#test/organisation';
import { startSystem, type System } from '#test/start-system';
import { PhoneNotifications } from '#test/phone-notifications';

/** People of one organisation, who write to each other and get notifications on their phones. */
interface MessagingPeople {
  readonly phones: PhoneNotifications;
  readonly mail: Correspondence;
  readonly ann: Person;
}

/** Starts a system without rate limits on messages. */
export const startMessagingSystem = (): Promise<System> =>
  startSystem({ environment: { RATE_LIMIT_USER: '60:1000000' } });

export async function addMessagingPeople(system: System): Promise<MessagingPeople> {
  const organisation = await addOrganisation(system);
  return {
    phones: new PhoneNotifications(system, organisation),
    mail: new Correspondence(system, organisation),
    ann: await organisation.addPerson({ fullName: 'Ann Écru' }),
  };
}
