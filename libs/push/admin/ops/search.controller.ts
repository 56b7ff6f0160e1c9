import { Get, NotFoundException, Query } from '@nestjs/common';
import { z } from 'zod';
import { RealmRepository } from '#directory/realms';
import { UserRepository } from '#directory/users';
import { isMessageId, isRowId } from '#platform/contracts';
import type { NotificationHistory } from '../notification-history.repository.js';
import { type NotificationQuery, PushLedgerService } from '../push-ledger.service.js';
import { limitedNumber, OpsController } from './ops-controller.js';

const MAX_FOUND = 100;

const rowId = (what: string) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `expected the number of ${what}`)
    .transform(Number)
    .refine(isRowId, `expected the number of ${what}`);

const accountOption = {
  /** An id or an email address; an address needs the subdomain of its organisation. */
  of: z.string().min(1, 'expected the id or email address of an account'),
  /** Empty for the organisation without a subdomain. */
  realm: z.string().default(''),
};

const share = { limit: limitedNumber(MAX_FOUND).default(20) };

/** The six ways to search; an email address needs the subdomain of its organisation. */
const questions = {
  notification: z.strictObject({
    ...share,
    notification: z.guid('expected the id of a notification, such as 0198c0de-…'),
  }),
  user: z.strictObject({ ...share, user: rowId('an account') }),
  device: z.strictObject({ ...share, device: rowId('a device') }),
  fingerprint: z.strictObject({
    ...share,
    fingerprint: z
      .string()
      .regex(
        /^[0-9a-f]{12}$/i,
        'expected the first 12 hexadecimal digits of the SHA-256 of a token',
      )
      .transform((digits) => digits.toLowerCase()),
  }),
  message: z.strictObject({
    ...share,
    ...accountOption,
    message: z
      .string()
      .regex(/^\d{1,16}$/, 'expected the number of a message')
      .transform(Number)
      .refine(isMessageId, 'expected the number of a message'),
  }),
  email: z.strictObject({
    ...share,
    email: z.string().min(1),
    /** Empty for the organisation without a subdomain. */
    realm: z.string().default(''),
  }),
} as const;

type Question = { [Name in keyof typeof questions]: z.infer<(typeof questions)[Name]> };
type SearchQuestion = Question[keyof Question];

const names = Object.keys(questions) as (keyof typeof questions)[];

/** Selects the schema by the given parameter, so that faults are specific. */
const searchQuestion = z
  .record(z.string(), z.string('is given twice'))
  .transform((query, context): SearchQuestion => {
    const asked = names.filter((name) => name in query);
    const [name] = asked;
    if (name === undefined || asked.length > 1) {
      context.addIssue({ code: 'custom', message: `expected exactly one of ${names.join(', ')}` });
      return z.NEVER;
    }
    const parsed = questions[name].safeParse(query);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) {
      context.addIssue({ code: 'custom', path, message });
    }
    return z.NEVER;
  });

/** Operators may see every email address. */
const OPERATOR = { userId: 0, isAdministrator: true } as const;

/** Finds a notification, or those of an account or a device. */
@OpsController('ops/api/notifications')
export class SearchController {
  constructor(
    private readonly ledger: PushLedgerService,
    private readonly realms: RealmRepository,
    private readonly users: UserRepository,
  ) {}

  @Get()
  async find(@Query({ schema: searchQuestion }) question: SearchQuestion) {
    if ('message' in question) return this.#explain(question);
    const query = await this.#queryOf(question);
    const found = await this.ledger.findNotifications(query, question.limit);
    return { notifications: found.map(notificationAnswer) };
  }

  async #explain({ message, of, realm }: Question['message']) {
    const userId = /^\d{1,10}$/.test(of) ? Number(of) : await this.#accountOf({ email: of, realm });
    if (!isRowId(userId)) throw new NotFoundException(`There is no account ${of}.`);
    const { notifications, ...explanation } = await this.ledger.explain(message, userId);
    return { explanation, notifications: notifications.map(notificationAnswer) };
  }

  async #queryOf(
    question: Exclude<SearchQuestion, Question['message']>,
  ): Promise<NotificationQuery> {
    if ('notification' in question) return { notificationId: question.notification };
    if ('user' in question) return { userId: question.user };
    if ('device' in question) return { deviceId: question.device };
    if ('fingerprint' in question) return { fingerprint: question.fingerprint };
    return { userId: await this.#accountOf(question) };
  }

  async #accountOf({ email, realm: subdomain }: { email: string; realm: string }): Promise<number> {
    const realm = await this.realms.findBySubdomain(subdomain);
    if (realm === null) {
      throw new NotFoundException(`There is no organisation with the subdomain "${subdomain}".`);
    }
    const userId = await this.users.findIdByEmail(realm.id, email, OPERATOR);
    if (userId === null) throw new NotFoundException(`${realm.name} has no account "${email}".`);
    return userId;
  }
}

/** Times are UNIX milliseconds, as everywhere below /ops. */
const notificationAnswer = ({
  acceptedAt,
  expiresAt,
  deliveries,
  receipts,
  ...rest
}: NotificationHistory) => ({
  ...rest,
  acceptedAt: +acceptedAt,
  expiresAt: +expiresAt,
  deliveries: deliveries.map(({ history, dueAt, endedAt, ...delivery }) => ({
    ...delivery,
    dueAt: dueAt && +dueAt,
    endedAt: endedAt && +endedAt,
    history: history.map(({ at, reason, next }) => ({ at: +at, reason, next: next && +next })),
  })),
  receipts: receipts.map(({ deviceId, receivedAt, displayedAt, openedAt, dismissedAt }) => ({
    deviceId,
    receivedAt: receivedAt && +receivedAt,
    displayedAt: displayedAt && +displayedAt,
    openedAt: openedAt && +openedAt,
    dismissedAt: dismissedAt && +dismissedAt,
  })),
});
