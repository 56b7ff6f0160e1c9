import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** How much an organisation uses its chat. */
export interface OrganisationUsage {
  readonly subdomain: string;
  readonly name: string;
  /** Accounts in use, without bots. */
  readonly people: number;
  readonly activeToday: number;
  readonly activeIn7Days: number;
  readonly activeIn28Days: number;
  /** Of everybody together. */
  readonly activeHours: number;
}

interface Row {
  subdomain: string;
  name: string;
  people: number;
  active_today: number;
  active_7: number;
  active_28: number;
  active_hours: number;
}

// A null subdomain stands for all organisations. Activity is gone through once, however many those are.
const REPORT = `
  WITH asked AS (
    SELECT id, subdomain, name FROM realms WHERE $3::text IS NULL OR subdomain = $3
  ), usage AS (
    SELECT users.realm_id,
           count(DISTINCT users.id) FILTER (WHERE day = $1::date)::int AS active_today,
           count(DISTINCT users.id) FILTER (WHERE day > $1::date - 7)::int AS active_7,
           count(DISTINCT users.id) FILTER (WHERE day > $1::date - 28)::int AS active_28,
           sum(lasted.seconds) FILTER (WHERE day > $1::date - $2::int) AS seconds
    FROM user_activity activity
    JOIN users ON users.id = activity.user_id
    JOIN asked ON asked.id = users.realm_id
    CROSS JOIN LATERAL (
      SELECT sum(extract(epoch FROM upper(span) - lower(span))::int) AS seconds
      FROM unnest(activity.active) AS span
    ) AS lasted
    WHERE day > $1::date - greatest(28, $2::int) AND day <= $1::date AND NOT users.is_bot
    GROUP BY users.realm_id
  ), people AS (
    SELECT users.realm_id, count(*)::int AS count FROM users JOIN asked ON asked.id = users.realm_id
    WHERE is_active AND NOT is_bot
    GROUP BY users.realm_id
  )
  SELECT asked.subdomain, asked.name, coalesce(people.count, 0) AS people,
         coalesce(usage.active_today, 0) AS active_today,
         coalesce(usage.active_7, 0) AS active_7, coalesce(usage.active_28, 0) AS active_28,
         coalesce(usage.seconds, 0)::float8 / 3600 AS active_hours
  FROM asked
  LEFT JOIN usage ON usage.realm_id = asked.id
  LEFT JOIN people ON people.realm_id = asked.id
  ORDER BY active_hours DESC, asked.subdomain`;

/** Reads how much organisations use their chat. */
@Injectable()
export class UsageReportRepository {
  constructor(private readonly database: Database) {}

  /** As of a day, hours over `days` days with it, the most active first; of one organisation, or all for null. */
  async asOf(today: string, days: number, subdomain: string | null): Promise<OrganisationUsage[]> {
    const rows = await this.database.query<Row>('usage-report', REPORT, [today, days, subdomain]);
    return rows.map((row) => ({
      subdomain: row.subdomain,
      name: row.name,
      people: row.people,
      activeToday: row.active_today,
      activeIn7Days: row.active_7,
      activeIn28Days: row.active_28,
      activeHours: row.active_hours,
    }));
  }
}
