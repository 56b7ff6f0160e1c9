import { escapeHtml, pageHead } from '../page/message-page.js';

/** The page that asks for the token; says what was wrong with the last try, if there was one. */
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
        ${problem === null ? '' : `<p id="problem" class="problem" role="alert">${escapeHtml(problem)}</p>`}
        <button type="submit" class="main">Sign in</button>
        <p id="hint" class="hint">The value of <code>OPS_TOKEN</code> of the gateways. A session lasts
          twelve hours.</p>
      </form>
    </main>
  </body>
</html>
`;
