import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf, success } from '#test/answers';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { sendToPeople } from '#test/messages-organisation';
import { addModeratedOrganisation } from '#test/moderation-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const moderated = useFixture(() => addModeratedOrganisation(system));

const report = (person: Person, messageId: number, fields: Record<string, unknown> = {}) =>
  person.api.post(`/messages/${messageId}/report`, { report_type: 'spam', ...fields });

const noChannel = badRequest(
  'Moderation request channel must be specified to enable message reporting.',
);

describe('the channel for reports', () => {
  it('is checked before the other parameters', async () => {
    const other = await addModeratedOrganisation(system);
    const person = await other.addPerson('Alice');
    const fields = { report_type: 'other' };
    expect(await report(person, 2_147_483_647, fields)).toMatchObject(
      badRequest('An explanation is required.'),
    );
    await other.setModerationChannel(null);
    expect(await report(person, 2_147_483_647, fields)).toMatchObject(noChannel);
    const archivedAt = new Date();
    const archived = await other.correspondence.addChannel([], { archivedAt });
    await other.setModerationChannel(archived.id);
    expect(await report(person, 2_147_483_647, fields)).toMatchObject(noChannel);
  });

  it('must belong to the organisation of the caller', async () => {
    const other = await addModeratedOrganisation(system);
    await other.setModerationChannel(moderated.moderators.id);
    const person = await other.addPerson('Alice');
    expect(await report(person, 1)).toMatchObject(noChannel);
  });

  it('receives reports without a topic if it allows only the empty topic', async () => {
    const other = await addModeratedOrganisation(system, { topicsPolicy: 'empty_topic_only' });
    const person = await other.addPerson('Alice');
    const messageId = idOf(await sendToPeople(person, [person]));
    expect(await report(person, messageId)).toMatchObject(success);
    expect(await other.reports()).toMatchObject([{ topic: '' }]);
  });
});
