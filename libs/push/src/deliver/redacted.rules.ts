/** A payload with each text in it replaced by how long it is: enough to see its shape, and says nothing. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string') return `<${[...value].length} characters>`;
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner)]));
}
