import { roles } from '#directory/roles';
import { type Choice, someUsers } from './law-values.fixture.js';

/** Settings of the sender, or, of an administrator, sometimes of others. */
export function settingsFields(choice: Choice): Readonly<Record<string, unknown>> {
  const { world, random, actor } = choice;
  if (actor.role <= roles.administrator && random.next() < 0.4) {
    return {
      target_users: {
        user_ids: someUsers(choice),
        skip_if_already_edited: random.next() < 0.5,
      },
      full_name: undefined,
      timezone: undefined,
      presence_enabled: undefined,
      send_private_typing_notifications: undefined,
      send_stream_typing_notifications: undefined,
      send_read_receipts: undefined,
      push_quiet_hours: undefined,
      push_quiet_hours_exceptions: undefined,
      push_vip_user_ids: undefined,
      push_snoozed_until: undefined,
      push_notifications_delay_period_seconds: undefined,
      push_notifications_reminder_period_seconds: undefined,
    };
  }
  return {
    target_users: undefined,
    full_name: random.next() < 0.3 ? world.unique('Name') : undefined,
    timezone: random.next() < 0.3 ? random.pick(['Asia/Tokyo', 'Europe/Berlin', '']) : undefined,
    push_quiet_hours: random.pick([[], [{ days: [0, 4], start: '22:00', end: '07:00' }]]),
    push_snoozed_until: random.pick([0, Math.floor(Date.now() / 1000) + 1000]),
  };
}

/** A linkifier with all its members. */
export function linkifier({ world }: Choice): Readonly<Record<string, unknown>> {
  const word = world.unique('Hello').replace(' ', '');
  return {
    pattern: `${word}-(?P<id>\\d+)`,
    url_template: 'https://issues.test/{id}',
    example_input: `${word}-12`,
    reverse_template: `${word}-{id}`,
    alternative_url_templates: ['https://old.test/{id}'],
  };
}
