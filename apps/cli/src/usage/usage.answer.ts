import type { OrganisationUsage, UsageReport } from '#presence';
import type { Answer } from '../command-world.js';
import { tableOf } from '../output/table.js';

const organisationJson = (usage: OrganisationUsage) => ({
  organisation: usage.subdomain,
  name: usage.name,
  people: usage.people,
  active_today: usage.activeToday,
  active_7_days: usage.activeIn7Days,
  active_28_days: usage.activeIn28Days,
  active_hours: Number(usage.activeHours.toFixed(2)),
});

/** How much organisations use their chat. */
export const usageAnswer = ({ today, days, organisations }: UsageReport): Answer => ({
  json: { today, days, organisations: organisations.map(organisationJson) },
  text:
    organisations.length === 0
      ? 'There are no organisations yet.'
      : tableOf(
          [
            'organisation',
            'name',
            'people',
            `active on ${today} (UTC)`,
            'in 7 days',
            'in 28 days',
            `hours in ${days === 1 ? '1 day' : `${days} days`}`,
          ],
          organisations.map((usage) => [
            usage.subdomain,
            usage.name,
            usage.people,
            usage.activeToday,
            usage.activeIn7Days,
            usage.activeIn28Days,
            usage.activeHours.toFixed(1),
          ]),
        ),
});
