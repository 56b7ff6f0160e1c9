import { z } from 'zod';

/** Hours of some days in which phones stay quiet, as wall-clock times of the account's time zone. */
export interface QuietHours {
  /** The days on which the hours begin: 0 is Monday. In ascending order. */
  readonly days: readonly number[];
  /** As `22:00`. */
  readonly start: string;
  /** As `07:00`. A time that is not after the start is one of the next day. */
  readonly end: string;
}

const MAX_WINDOWS = 14;
const DAYS_OF_A_WEEK = 7;
/** The greatest number of people whose messages are shown in quiet hours. */
const MAX_VIPS = 50;

const ascending = (values: readonly number[]): number[] =>
  [...new Set(values)].toSorted((one, other) => one - other);

const time = z
  .string()
  .max(5)
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'push_quiet_hours needs times such as 22:00')
  .meta({ example: '22:00' });

/** The value of `push_quiet_hours`. */
export const quietHoursSchema: z.ZodType<readonly QuietHours[]> = z
  .array(
    z.strictObject({
      days: z
        .array(
          z
            .int()
            .min(0)
            .max(DAYS_OF_A_WEEK - 1),
        )
        .min(1)
        .max(DAYS_OF_A_WEEK)
        .overwrite(ascending),
      start: time,
      end: time,
    }),
  )
  .max(MAX_WINDOWS);

/** What is shown in quiet hours all the same: messages with these triggers, and those of chosen people. */
const quietHoursExceptions = ['direct', 'mention', 'group_mention', 'vip'] as const;

/** The value of `push_quiet_hours_exceptions`. */
export const exceptionsSchema: z.ZodType<readonly string[]> = z
  .array(z.enum(quietHoursExceptions))
  .max(quietHoursExceptions.length)
  .overwrite((given) => quietHoursExceptions.filter((exception) => given.includes(exception)));

/** The value of `push_vip_user_ids`. */
export const vipsSchema: z.ZodType<readonly number[]> = z
  .array(
    z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
  )
  .max(MAX_VIPS)
  .overwrite(ascending);
