/** The first `most` of some names, and the number of the others: `a, b and 3 more`. */
export function shortList(names: readonly (string | number)[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}
