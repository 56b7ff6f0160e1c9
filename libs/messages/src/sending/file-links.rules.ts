// What ends an address in Markdown and in running text.
const LINK = /\/user_uploads\/(?:download\/)?(\d+\/[^\s()[\]<>"'`?#|\\]+)/g;
const PUNCTUATION = new Set('.,;:!*_~');

/**
 * The paths of the uploaded files that a source may link, without what stands before them. What ends in
 * punctuation is told both with and without it, since a file's name may end so too.
 */
export function linkedPaths(source: string): string[] {
  const paths = new Set<string>();
  for (const [, given] of source.matchAll(LINK)) {
    if (given === undefined) continue;
    for (const path of [given, withoutPunctuationAfter(given)]) paths.add(decoded(path));
  }
  return [...paths];
}

/** A loop, since a pattern that is anchored at the end takes quadratic time on a long run of punctuation. */
function withoutPunctuationAfter(path: string): string {
  let end = path.length;
  while (end > 0 && PUNCTUATION.has(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}

/** A name that is not ASCII may come as it is or percent-encoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\0', '');
  } catch {
    return path;
  }
}
