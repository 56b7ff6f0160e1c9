import { beforeAll, describe, expect, it } from '@jest/globals';
import { bodyEncodings } from '#platform/contracts';
import type { PresenceRequest, PresenceService } from '#presence/rpc';
import { eventually } from '#test/eventually';
import {
  nowSeconds,
  parseAnswer,
  type PresencePicture,
  PresenceRealm,
  usersIn,
} from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

/** More users than an unshared answer may have. */
const PEOPLE = 120;

describe.each(presenceImplementations)(
  'PresenceService %s, in a large organisation',
  (_name, open) => {
    const presence = useFixture(() => open());
    let sut: PresenceService;
    let realm: PresenceRealm;
    let people: number[];
    let ann: number;
    let ben: number;
    let eve: number;

    beforeAll(async () => {
      sut = presence.service;
      realm = await PresenceRealm.create(presence.database);
      people = await realm.addUsers(PEOPLE);
      [ann = 0, ben = 0, eve = 0] = people;
      const reportedAt = nowSeconds() - 1000;
      await Promise.all(people.map((userId) => sut.report(realm.request(userId, { reportedAt }))));
    });

    const ask = async (request: PresenceRequest): Promise<PresencePicture> =>
      parseAnswer(await sut.report(request));

    describe('for a viewer who has just reported', () => {
      let later = 0;

      /** Each report counts, because it is long enough after the last one. */
      const reportTime = (): number => {
        later += 60;
        return nowSeconds() - 900 + later;
      };

      it.each([...bodyEncodings, null])('has that report, in %s', async (encoding) => {
        await ask({ ...realm.poll(ann), encoding });
        for (const userId of [ann, eve]) {
          const reportedAt = reportTime();
          const picture = await ask(realm.request(userId, { reportedAt, encoding }));
          expect(usersIn(picture)).toEqual(people);
          expect(picture.presences[userId]?.active_timestamp).toBe(reportedAt);
        }
      });

      it('has it for all concurrent reporters, with few shared answers', async () => {
        const reportedAt = reportTime();
        const reporters = people.slice(0, 50);
        const pictures = await Promise.all(
          reporters.map((userId) => ask(realm.request(userId, { reportedAt, encoding: 'br' }))),
        );
        for (const [index, userId] of reporters.entries()) {
          expect(pictures[index]?.presences[userId]?.active_timestamp).toBe(reportedAt);
        }
        const cursors = pictures.map((picture) => picture.presence_last_update_id);
        // A slow machine takes the reports in more batches.
        expect(new Set(cursors).size).toBeLessThan(reporters.length / 2);
      });

      it('has that the viewer went invisible, and visible again', async () => {
        for (const isVisible of [false, true]) {
          await ask(realm.poll(ben));
          const changedAt = reportTime();
          await sut.changeVisibility(realm.visibility(ben, isVisible, changedAt));
          const { presences } = await ask(realm.poll(ben));
          expect(presences[ben]?.idle_timestamp).toBe(isVisible ? changedAt : changedAt - 320);
        }
      });
    });

    it('gives an account no earlier state than any of its clients got', async () => {
      // Old enough not to be reused.
      presence.passTime(1000);
      const { presence_last_update_id: cursor } = await ask(realm.poll(ann));
      const reportedAt = nowSeconds() - 200;
      await sut.report(realm.request(ben, { reportedAt, pingOnly: true }));
      // A report waits for the replica for a short time only.
      const exact = await eventually(async () => {
        const picture = await ask(realm.poll(ann, cursor));
        expect(usersIn(picture)).toEqual([ben]);
        return picture;
      });
      const full = await ask(realm.poll(ann));
      expect(full.presences[ben]).toEqual(exact.presences[ben]);
      expect(full.presence_last_update_id).toBe(exact.presence_last_update_id);
      const read = JSON.parse(
        await sut.readRealm({ realmId: realm.id, userId: eve, isGuest: false }),
      );
      expect(Object.keys(read.presences)).toHaveLength(PEOPLE);
      expect((await ask(realm.poll(eve))).presences[ben]).toEqual(exact.presences[ben]);
    });
  },
);
