import { escapedHtml } from '#platform/core';

/** A page loads only its own files, requests only its own server, and cannot be framed. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A page with one message, which may quote the request. */
export const messagePage = (message: string): string => `<!doctype html>
<html lang="en">
  <head>
    ${pageHead('Carillon operations')}
  </head>
  <body class="plain">
    <main class="card">
      <h1>Carillon operations</h1>
      <p>${escapedHtml(message)}</p>
      <p><a href="/ops">To the ops page</a></p>
    </main>
  </body>
</html>
`;

/** The head of every page. */
const pageHead = (title: string): string => `<meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="icon" href="/ops/files/icon.svg">
    <link rel="stylesheet" href="/ops/files/base.css">
    <link rel="stylesheet" href="/ops/files/card.css">`;

/** The sign-in form, with the fault of the last attempt, if there was one. */
export const signInPage = (problem: string | null): string => `<!doctype html>
<html lang="en">
  <head>
    ${pageHead('Sign in – Carillon operations')}
  </head>
  <body class="plain">
    <main class="card">
      <h1>Carillon operations</h1>
      <form method="post" action="/ops/sign-in">
        <input name="username" value="operator" autocomplete="username" hidden>
        <label for="token">Operator’s token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required
          autofocus aria-describedby="hint${problem === null ? '' : ' problem" aria-invalid="true'}">
        ${problem === null ? '' : `<p id="problem" class="problem" role="alert">${escapedHtml(problem)}</p>`}
        <button type="submit" class="main">Sign in</button>
        <p id="hint" class="hint">The value of <code>OPS_TOKEN</code> of the gateways. A session lasts
          twelve hours.</p>
      </form>
    </main>
  </body>
</html>
`;
