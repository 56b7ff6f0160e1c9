/** The token of an `authorization` header; undefined when it holds none. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
