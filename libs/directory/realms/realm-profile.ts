import { createHash } from 'node:crypto';
import { realmHost, realmUrl } from '#platform/core';
import { renderMarkdown } from '#platform/markdown';
import type { RealmRow } from './realm.repository.js';

/** The public facts of an organisation. */
export interface RealmProfile {
  readonly name: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** A generated picture. */
  readonly iconUrl: string;
  /** Safe to show. */
  readonly descriptionHtml: string;
  readonly createdAt: Date;
}

/** The public profile of an organisation on the server with this URL. */
export function realmProfileOf(
  {
    subdomain,
    name,
    description,
    createdAt,
  }: Pick<RealmRow, 'subdomain' | 'name' | 'description' | 'createdAt'>,
  externalUrl: URL,
): RealmProfile {
  return {
    name,
    url: realmUrl(externalUrl, subdomain),
    iconUrl: iconUrl(realmHost(externalUrl, subdomain)),
    descriptionHtml: renderMarkdown(description).html,
    createdAt,
  };
}

/** Organisations cannot upload icons: Gravatar draws a pattern for the host, as it does for accounts. */
const iconUrl = (host: string): string =>
  `https://secure.gravatar.com/avatar/${createHash('sha256').update(host).digest('hex')}?d=identicon`;
