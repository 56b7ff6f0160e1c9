/** The first `limit` of some names, and the number of the others: `a, b and 3 more`. */
export function shortList(names: readonly (string | number)[], limit: number): string {
  const more = names.length > limit ? ` and ${names.length - limit} more` : '';
  return `${names.slice(0, limit).join(', ')}${more}`;
}
