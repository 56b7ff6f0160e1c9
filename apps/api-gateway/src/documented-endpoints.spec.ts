import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Access } from '#contracts';
import { type EndpointDeclaration, endpointsOf } from '#edge';
import { endpointControllers } from './api-gateway.module.js';

const audiences: Readonly<Record<Access, string>> = {
  anyone: 'anyone',
  user: 'accounts',
  member: 'members',
  administrator: 'administrators',
};

/** The rows of the table of all endpoints in docs/api.md. */
const documented = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\| `(?:GET|POST|PUT|PATCH|DELETE) /.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

/** By path, then by method. */
const byPath = (one: EndpointDeclaration, other: EndpointDeclaration): number =>
  `${one.path} ${one.method}` < `${other.path} ${other.method}` ? -1 : 1;

describe('docs/api.md', () => {
  it('lists the endpoints that there are, as they are declared', () => {
    const declared = endpointsOf(endpointControllers)
      .toSorted(byPath)
      .map(({ method, path, access, summary, isDeprecated = false, isOutsideApi = false }) => [
        `\`${method} ${path}\``,
        audiences[access],
        summary + (isDeprecated ? ' (deprecated)' : '') + (isOutsideApi ? ' (below the root)' : ''),
      ]);
    expect(documented).toEqual(declared);
  });
});
