/**
 * The texts that PostgreSQL has to look for, so that a text is found whatever its case. PostgreSQL changes the case of single
 * letters: it never makes the final sigma of `σας` from `ΣΑΣ`, two letters from `ß`, or the capital of `ı` for a search in
 * small letters. One text for all others.
 */
export function spellingsOf(text: string): string[] {
  const capitals = text.toUpperCase();
  const byKey = new Map(
    [capitals.toLowerCase(), capitals, text].map((spelling) => [lettersOf(spelling), spelling]),
  );
  return [...byKey.values()];
}

/** Whether a narrow of fetched messages finds a name by another one. */
export function isFoundBy(name: string, given: string): boolean {
  const letters = lettersOf(name);
  return spellingsOf(given).some((spelling) => lettersOf(spelling) === letters);
}

/** In small letters as PostgreSQL makes them: each letter alone. */
const lettersOf = (text: string): string =>
  Array.from(text, (letter) => letter.toLowerCase()).join('');
