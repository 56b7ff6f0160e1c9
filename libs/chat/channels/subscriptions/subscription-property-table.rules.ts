/**
 * The kinds of properties of a subscription: a colour, a switch, or a switch for which the setting of the account applies
 * where the subscription has none.
 */
type SubscriptionPropertyKind = 'color' | 'switch' | 'inheriting switch';

/**
 * The properties of a subscription by their names in the API. The columns, the parameters, the answers and the events
 * follow from this table.
 */
export const subscriptionPropertyTable = {
  desktop_notifications: { column: 'desktop_notifications', kind: 'inheriting switch' },
  email_notifications: { column: 'email_notifications', kind: 'inheriting switch' },
  push_notifications: { column: 'push_notifications', kind: 'inheriting switch' },
  audible_notifications: { column: 'audible_notifications', kind: 'inheriting switch' },
  wildcard_mentions_notify: { column: 'wildcard_mentions', kind: 'inheriting switch' },
  pin_to_top: { column: 'is_pinned', kind: 'switch' },
  is_muted: { column: 'is_muted', kind: 'switch' },
  color: { column: 'color', kind: 'color' },
} as const satisfies Readonly<
  Record<string, { readonly column: string; readonly kind: SubscriptionPropertyKind }>
>;

type Table = typeof subscriptionPropertyTable;

/** The name of a property of a subscription. */
export type SubscriptionProperty = keyof Table;

type ValueOf = { color: string; switch: boolean; 'inheriting switch': boolean | null };

/** The properties of a subscription; null where the setting of the account applies. */
export type SubscriptionProperties = {
  readonly [Name in SubscriptionProperty]: ValueOf[Table[Name]['kind']];
};

/** All properties of a subscription. */
// The members of the table are exactly the names.
export const subscriptionProperties = Object.keys(
  subscriptionPropertyTable,
) as readonly SubscriptionProperty[];

/** An object with a member for each property. */
export const bySubscriptionProperty = <Value>(
  valueOf: (name: SubscriptionProperty) => Value,
): Readonly<Record<SubscriptionProperty, Value>> =>
  // fromEntries loses the type of the keys.
  Object.fromEntries(subscriptionProperties.map((name) => [name, valueOf(name)])) as Record<
    SubscriptionProperty,
    Value
  >;
