const BASE64URL = /^[\w-]+={0,2}$/;

/** The bytes of a text in base64url, with or without padding; null for any other text. */
export function bytesIn(text: string): Buffer | null {
  if (!BASE64URL.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // The parser drops a last character that is too much.
  return bytes.toString('base64url') === text.replace(/=+$/, '') ? bytes : null;
}
