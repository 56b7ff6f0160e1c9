/** SQL: whether an `earlier` delivery is at the provider. */
export const IS_ON_ITS_WAY = `earlier.reason IS NULL AND earlier.may_be_shown AND earlier.due_at > now()`;
