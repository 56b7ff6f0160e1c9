import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { RemindedWorld } from './reminded-world.fixture.js';

const system = useGateway();
const world = useFixture(() => RemindedWorld.in(system));

describe('The reminders of a message', () => {
  const steps = fc.constantFrom(
    'remind',
    'remind',
    'read',
    'quiet',
    'loud',
    'desk',
    'away',
    'off',
    'on',
  );

  it('follow the rule after any history: one at a time, three at most, none after reading', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 10 }), async (history) => {
        const reader = await world.reader();
        const id = await world.quiet.writeTo(reader);
        const model = {
          isPlanned: true,
          sent: 0,
          isRead: false,
          isQuiet: false,
          isActive: false,
          isOn: true,
        };
        const setting = (value: number) =>
          world.quiet.set(reader, { push_notifications_reminder_period_seconds: value });
        const take = {
          remind: async () => {
            await world.remind(reader);
            if (model.isRead || !model.isOn) model.isPlanned = false;
            if (!model.isPlanned || model.isActive || model.isQuiet) return;
            model.sent += 1;
            model.isPlanned = model.sent < 3;
          },
          read: async () => {
            const flag = { messages: [id], op: 'add', flag: 'read' };
            await reader.api.post('/messages/flags', flag);
            model.isRead = true;
            model.isPlanned = false;
          },
          quiet: async () => {
            await world.quiet.beQuiet(reader);
            model.isQuiet = true;
          },
          loud: async () => {
            await world.quiet.set(reader, { push_quiet_hours: [] });
            model.isQuiet = false;
          },
          desk: async () => {
            await world.people.wasActive(reader, 1);
            model.isActive = true;
          },
          away: async () => {
            await world.people.wasActive(reader, 300);
            model.isActive = false;
          },
          off: async () => {
            await setting(0);
            model.isOn = false;
          },
          on: async () => {
            await setting(300);
            model.isOn = true;
          },
        };
        for (const step of history) {
          await take[step as keyof typeof take]();
          expect(await world.remindedOf(reader)).toHaveLength(model.sent);
          expect(await world.remindersOf(reader)).toHaveLength(model.isPlanned ? 1 : 0);
        }
      }),
      { numRuns: 15, seed: 20_261_130 },
    );
  });
});
