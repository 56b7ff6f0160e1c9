/** A page that says one thing. The message is one of ours, and may hold what a request carried. */
export const messagePage = (message: string): string => `<!doctype html>
<html lang="en">
  <head>
    ${pageHead('Carillon operations')}
  </head>
  <body class="plain">
    <main class="card">
      <h1>Carillon operations</h1>
      <p>${escapeHtml(message)}</p>
      <p><a href="/ops">To the ops page</a></p>
    </main>
  </body>
</html>
`;

/** What the head of every page has. */
export const pageHead = (title: string): string => `<meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="icon" href="/ops/files/icon.svg">
    <link rel="stylesheet" href="/ops/files/base.css">`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
