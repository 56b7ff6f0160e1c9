import type { Platform } from '#push/jobs';
import { type AlertName, alertRules } from './alert-definitions.js';

/** A problem that an operator should know, and its remedy. */
export interface Alert {
  readonly name: AlertName;
  /** `alarm` for `page`, `notice` for `ticket`: see AlertRule. */
  readonly severity: 'alarm' | 'notice';
  /** Null for an alert about both platforms or none. */
  readonly platform: Platform | null;
  readonly text: string;
  /** The automatic reaction, and the steps for an operator. */
  readonly advice: string;
  /** UNIX milliseconds; null if unknown. */
  readonly since: number | null;
  /** The next automatic attempt, in UNIX milliseconds; null without one. */
  readonly until: number | null;
}

type Traits = Partial<Pick<Alert, 'platform' | 'since' | 'until'>>;

const SEVERITIES = { page: 'alarm', ticket: 'notice' } as const;

/** Makes an alert with the severity of its definition. */
export const alert = (
  name: AlertName,
  text: string,
  advice: string,
  { platform = null, since = null, until = null }: Traits = {},
): Alert => {
  const severity = SEVERITIES[alertRules[name].severity];
  return { name, severity, platform, text, advice, since, until };
};
