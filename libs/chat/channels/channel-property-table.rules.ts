import { z } from 'zod';
import { MAX_RETENTION_DAYS, UNLIMITED_DAYS } from '#directory/realms';
import type { StoredChannel } from './channel.repository.js';
import { topicsPolicies } from './topics/topics-policy.rules.js';

/** The role of the caller that a change needs beside the permission to administer the channel; null for none. */
type NeededRole = 'owner' | 'administrator' | null;

/** The declaration of one property of a channel. */
interface ChannelProperty<Field extends keyof StoredChannel, Given> {
  /** The member of the row; the column follows from it. */
  readonly field: Field;
  /** How a request sends the value: as JSON, or as a text that is taken as it stands. */
  readonly encoding: 'json' | 'text';
  /** The values that a request may send. */
  readonly given: z.ZodType<Given>;
  /** The value of a new channel for which the request names none. */
  readonly initial: Given;
  readonly toStored: (given: Given) => StoredChannel[Field];
  /** For another value than the initial one in a new channel, and for every change. */
  readonly neededRole: NeededRole;
  /** The meaning in the parameters of a new channel, and in those of a change. */
  readonly meaning: { readonly ofNew: string; readonly ofChange: string };
  /** The stored value in the answers, whose changes have an event of their own; null if answers do not have it. */
  readonly shown: z.ZodType | null;
}

/** Gives a declaration its exact type. */
const property = <Field extends keyof StoredChannel, Given>(
  declaration: ChannelProperty<Field, Given>,
): ChannelProperty<Field, Given> => declaration;

/** Null for the setting of the organisation; -1 for unlimited. */
const retentionDays = z.union([
  z.literal('realm_default'),
  z.literal('unlimited'),
  z.int().min(1).max(MAX_RETENTION_DAYS),
]);

const topicsPolicy = z.enum(['inherit', ...topicsPolicies]);

/**
 * The properties of a channel that do not depend on others, by their names in the API. The columns, the parameters, the
 * answers and the events follow from this table; docs/add-a-field.md shows how.
 */
export const propertyTable = {
  is_default_stream: property({
    field: 'isDefault',
    encoding: 'json',
    given: z.boolean(),
    initial: false,
    toStored: (given) => given,
    neededRole: 'administrator',
    meaning: {
      ofNew: 'Whether new accounts are subscribed to a new channel; for administrators.',
      ofChange: 'Whether new accounts are subscribed to it; for administrators.',
    },
    // Answers name the default channels in lists of their own.
    shown: null,
  }),
  message_retention_days: property({
    field: 'messageRetentionDays',
    encoding: 'json',
    given: retentionDays,
    initial: 'realm_default',
    toStored(given) {
      if (given === 'realm_default') return null;
      return given === 'unlimited' ? UNLIMITED_DAYS : given;
    },
    neededRole: 'owner',
    meaning: {
      ofNew: 'The days after which messages of a new channel are deleted; for owners.',
      ofChange: 'The days after which messages are deleted; for owners.',
    },
    shown: z
      .int()
      .nullable()
      .describe('Null for the setting of the organisation; -1 for unlimited.'),
  }),
  topics_policy: property({
    field: 'topicsPolicy',
    encoding: 'text',
    given: topicsPolicy,
    initial: 'inherit',
    toStored: (given) => given,
    neededRole: null,
    meaning: {
      ofNew: 'Whether messages of a new channel may, must or must not have the empty topic.',
      ofChange:
        'Whether messages may, must or must not have the empty topic. `empty_topic_only` is an error for a channel with topics.',
    },
    shown: topicsPolicy,
  }),
  folder_id: property({
    field: 'folderId',
    encoding: 'json',
    given: z.int().nullable(),
    initial: null,
    toStored: (given) => given,
    neededRole: null,
    meaning: {
      ofNew: 'The folder of a new channel.',
      ofChange: 'The folder of the channel; null for none.',
    },
    shown: z.int().nullable().describe('Null when it is in no folder.'),
  }),
  default_push_notifications: property({
    field: 'isPushedByDefault',
    encoding: 'json',
    given: z.boolean(),
    initial: false,
    toStored: (given) => given,
    neededRole: 'administrator',
    meaning: {
      ofNew:
        'Whether new subscribers of a new channel are notified of all messages on phones; for administrators.',
      ofChange:
        'Whether new subscribers are notified of all messages on phones; for administrators.',
    },
    shown: z.boolean().describe('Whether new subscribers are notified of all messages on phones.'),
  }),
};

type Table = typeof propertyTable;
export type PropertyName = keyof Table;
type FieldOf<Name extends PropertyName> = Table[Name]['field'];
/** The value that a request sends for a property. */
export type GivenOf<Name extends PropertyName> =
  Table[Name] extends ChannelProperty<FieldOf<Name>, infer Given> ? Given : never;

/** The values of the properties in the row of a channel. */
export type ChannelProperties = Readonly<Pick<StoredChannel, FieldOf<PropertyName>>>;

/** The values that a request names. */
type GivenProperties = { readonly [Name in PropertyName]?: GivenOf<Name> | undefined };

// The table without the types of the values: each declaration takes what its own schema gives.
export const declarations = Object.entries(propertyTable) as unknown as readonly (readonly [
  name: PropertyName,
  declaration: ChannelProperty<keyof ChannelProperties, unknown>,
])[];

/** The members of the row. */
export const propertyFields = declarations.map(([, { field }]) => field);

/** The properties that answers have. */
const answered = declarations.flatMap(([name, { field, shown: schema }]) =>
  schema === null ? [] : [{ name, field, schema }],
);

/** The names of the properties in answers. */
export const shownPropertyNames: readonly string[] = answered.map(({ name }) => name);

/** The schemas of the properties in answers. */
export const propertyAnswers: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  answered.map(({ name, schema }) => [name, schema]),
);

/** The properties of a channel in answers. */
export const shownProperties = (channel: ChannelProperties): Readonly<Record<string, unknown>> =>
  Object.fromEntries(answered.map(({ name, field }) => [name, channel[field]]));

/** The properties of a new channel. */
export const newProperties = (given: GivenProperties): ChannelProperties =>
  // fromEntries loses the types of the members.
  Object.fromEntries(
    declarations.map(([name, { field, initial, toStored }]) => [
      field,
      toStored(given[name] ?? initial),
    ]),
  ) as unknown as ChannelProperties;

/** The properties that a request changes. */
export const changedProperties = (given: GivenProperties): Partial<ChannelProperties> =>
  Object.fromEntries(
    declarations.flatMap(([name, { field, toStored }]) =>
      given[name] === undefined ? [] : [[field, toStored(given[name])]],
    ),
  );

/** Whether a change of these properties needs a role. */
export const needsRole = (role: NeededRole, changed: Partial<ChannelProperties>): boolean =>
  declarations.some(
    ([, { field, neededRole }]) => neededRole === role && Object.hasOwn(changed, field),
  );

/** The properties of a new channel that differ from the initial ones. */
export const chosenProperties = (properties: ChannelProperties): Partial<ChannelProperties> =>
  Object.fromEntries(
    declarations.flatMap(([, { field, initial, toStored }]) =>
      properties[field] === toStored(initial) ? [] : [[field, properties[field]]],
    ),
  );
