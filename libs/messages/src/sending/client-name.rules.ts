/** As long as a name of a program need be. */
const LONGEST_NAME = 60;

/** The name of the program that a `User-Agent` header tells; empty without one. */
export function clientName(userAgent: string | undefined): string {
  const [name = ''] = (userAgent ?? '').split('/', 1);
  return name.trim().slice(0, LONGEST_NAME);
}
