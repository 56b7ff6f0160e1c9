/**
 * The bytes of a text in strict base64: the standard alphabet, padded, without white space. Null for any other text, where
 * `Buffer.from` would skip characters.
 */
export function fromStrictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
