import contentDisposition from 'content-disposition';

/** What browsers show by themselves and never run. */
const SHOWN =
  /^(?:image\/(?:apng|avif|gif|jpeg|png|webp)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * The types that browsers run as scripts. Files are served by the host that the ops page takes its scripts from,
 * so none of them may be a script there.
 */
const SCRIPT = /^(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script/;

/** Whoever's file it is, nothing in it may act as a page of this server. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";
/** A browser's own PDF viewer does not start in a sandbox. */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/** What an answer that is a file says of it, beside its length. */
export function fileHeaders(
  file: { readonly fileName: string; readonly contentType: string },
  isDownload: boolean,
): Record<string, string> {
  const isShown = !isDownload && SHOWN.test(file.contentType);
  return {
    'Content-Type': SCRIPT.test(file.contentType) ? 'application/octet-stream' : file.contentType,
    'Content-Disposition': contentDisposition(file.fileName, {
      type: isShown ? 'inline' : 'attachment',
      // Beside the name itself, in UTF-8: of anything but ASCII browsers guess the encoding.
      fallback: file.fileName.replaceAll(/[^ -~]/gu, '?'),
    }),
    'Content-Security-Policy':
      file.contentType === 'application/pdf' ? PDF_POLICY : `${POLICY}; sandbox`,
    'X-Content-Type-Options': 'nosniff',
    // A link never gets another file behind it.
    'Cache-Control': 'private, max-age=86400, immutable',
  };
}
