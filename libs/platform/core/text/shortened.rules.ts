/**
 * The text, or its beginning followed by `ending` if it has more than `maximum` Unicode code points: together exactly as many.
 */
export function shortened(text: string, maximum: number, ending: string): string {
  // There are at most as many code points as UTF-16 units, and at least half as many.
  if (text.length <= maximum) return text;
  const characters = Array.from(text.slice(0, 2 * maximum + 1));
  if (characters.length <= maximum) return text;
  return characters.slice(0, maximum - [...ending].length).join('') + ending;
}
