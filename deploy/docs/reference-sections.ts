import { settingTable } from '#directory/settings';
import { variableReference } from '#platform/config';
import type { Access, Requirement } from '#platform/contracts';
import { type EndpointDeclaration, endpointsOf } from '#platform/http';
import { tenantsEndpoints } from '#push/tenants/endpoints';
import { commonEndpoints } from '../../apps/api-gateway/src/api-gateway.module.js';
import { errorGroups } from './error-groups.js';
import { markdownTable, type Sections } from './generated-sections.js';

/** The reference pages with generated sections, as paths from the project root. */
export const referencePages = ['docs/api.md', 'docs/configuration.md', 'docs/errors.md'] as const;

const audiences: Readonly<Record<Exclude<Access, Requirement>, string>> = {
  anyone: 'anyone',
  user: 'accounts',
  server: 'remote servers',
  'any-server': 'remote servers without a sign-in',
};

/** In the order of path and method. */
const byPath = (one: EndpointDeclaration, other: EndpointDeclaration): number =>
  `${one.path} ${one.method}` < `${other.path} ${other.method}` ? -1 : 1;

/** The table of all endpoints, from their controllers. */
function endpoints(): string {
  const rows = endpointsOf([...commonEndpoints, tenantsEndpoints])
    .toSorted(byPath)
    .map(({ method, path, access, summary, isDeprecated = false, isOutsideApi = false }) => [
      `\`${method} ${path}\``,
      typeof access === 'object' ? access.who : audiences[access],
      summary + (isDeprecated ? ' (deprecated)' : '') + (isOutsideApi ? ' (below the root)' : ''),
    ]);
  return markdownTable(['endpoint', 'for', 'what it does'], rows);
}

/** The table of the errors of one group. */
function errors(group = ''): string {
  const found = errorGroups[group];
  if (found === undefined) throw new Error(`No group of errors is called "${group}"`);
  return markdownTable(
    ['Name', 'Code', 'Status', 'Text', 'When'],
    Object.entries(found).map(([name, { code, status, msg, when }]) => [
      name,
      code,
      String(status),
      msg,
      when,
    ]),
  );
}

/** The table of these variables, from the declarations of the configuration. */
function variables(...names: string[]): string {
  const rows = names.map((name) => {
    const { takes, byDefault, meaning } = variableReference(name);
    return [`\`${name}\``, takes, byDefault, meaning];
  });
  return markdownTable(['variable', 'takes', 'default', 'meaning'], rows);
}

/** The table of the settings of an account, from their declarations. */
function settings(): string {
  const rows = Object.entries(settingTable).map(([name, { takes, initial, meaning }]) => [
    `\`${name}\``,
    takes,
    initial === '' ? 'empty' : String(initial),
    meaning,
  ]);
  return markdownTable(['setting', 'takes', 'default', 'meaning'], rows);
}

/** The generated sections of the reference pages. */
export const referenceSections: Sections = { endpoints, errors, settings, variables };
