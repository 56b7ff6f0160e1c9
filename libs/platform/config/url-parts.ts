/** The fault of an address that cannot be divided into its parts. */
export const UNESCAPED =
  'the address cannot be read: in a user name or a password, percent-encode all but letters and digits (# is %23, / is %2F)';

/** Whether each percent sign of an address begins an encoded character. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
