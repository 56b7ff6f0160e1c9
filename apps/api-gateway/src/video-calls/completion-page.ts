import { hash } from 'node:crypto';

const CLOSE = 'window.close();';

/** The page runs nothing but its one line, and does not tell its address, which holds a code, to anyone. */
export const completionHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${hash('sha256', CLOSE, 'base64')}'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * The page that a registration at a provider ends on: closes itself when all went well, else it says
 * what did not, which is a text of the error catalogue and nothing that the request carried.
 */
export const completionPage = (error: string | null): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Video calls</title>
  </head>
  <body>
    <p>${error ?? 'You can close this window.'}</p>${error === null ? `\n    <script>${CLOSE}</script>` : ''}
  </body>
</html>
`;
