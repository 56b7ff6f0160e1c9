// Runs the node for this API of n8n-nodes-base: MODULES URL EMAIL KEY, and a list of parameters of the node as JSON on standard
// input. Prints the outputs. The host of the node is this file: it supplies parameters, credentials and requests.
const http = require('node:http');
const path = require('node:path');
const { createRequire } = require('node:module');

const [modules, url, email, apiKey] = process.argv.slice(2);
const load = createRequire(path.join(modules, 'host.cjs'));
const { Zulip } = load('n8n-nodes-base/dist/nodes/Zulip/Zulip.node.js');

/** The request of n8n: forms, query strings and JSON answers. */
function request({ method, uri, auth, headers, form, qs }) {
  const address = new URL(uri);
  for (const [name, value] of Object.entries(qs ?? {})) address.searchParams.set(name, value);
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = {
      method,
      auth: `${auth.user}:${auth.password}`,
      headers: { ...headers, ...length },
    };
    const sent = http.request(address, options, async (response) => {
      const text = (await response.toArray()).map(String).join('');
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(Object.assign(new Error(text), { statusCode: response.statusCode }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const hostWith = (parameters) => ({
  getInputData: () => [{ json: {} }],
  getNodeParameter: (name) => parameters[name],
  getCredentials: async () => ({ url, email, apiKey }),
  getNode: () => ({ name: 'Zulip', type: 'zulip', typeVersion: 1 }),
  continueOnFail: () => true,
  helpers: {
    request,
    returnJsonArray: (data) => [data].flat().map((json) => ({ json })),
    constructExecutionMetaData: (items) => items,
  },
});

async function main() {
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  const outputs = [];
  for (const parameters of JSON.parse(input)) {
    const [items] = await new Zulip().execute.call(hostWith(parameters));
    outputs.push(items.map(({ json }) => json));
  }
  process.stdout.write(JSON.stringify(outputs));
}

void main();
