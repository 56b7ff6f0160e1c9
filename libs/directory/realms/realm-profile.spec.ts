import { describe, expect, it } from '@jest/globals';
import { realmProfileOf } from './realm-profile.js';

const realm = {
  subdomain: 'acme',
  name: 'Acme',
  description: 'Makes **everything**. <script>alert(1)</script>',
  createdAt: new Date(0),
};

describe(realmProfileOf.name, () => {
  it('has the address of the organisation without a trailing slash', () => {
    const external = new URL('https://chat.example.org:8443/');
    expect(realmProfileOf(realm, external).url).toBe('https://acme.chat.example.org:8443');
    const root = { ...realm, subdomain: '' };
    expect(realmProfileOf(root, external).url).toBe('https://chat.example.org:8443');
  });

  it('renders the description as safe HTML', () => {
    const { descriptionHtml } = realmProfileOf(realm, new URL('https://chat.example.org'));
    expect(descriptionHtml).toBe(
      '<p>Makes <strong>everything</strong>. &lt;script&gt;alert(1)&lt;/script&gt;</p>',
    );
  });

  it('has an empty description if there is none', () => {
    const bare = { ...realm, description: '' };
    expect(realmProfileOf(bare, new URL('https://chat.example.org')).descriptionHtml).toBe('');
  });

  it('has a generated icon, another one for each host', () => {
    const external = new URL('https://chat.example.org');
    const icons = ['acme', 'other', ''].map(
      (subdomain) => realmProfileOf({ ...realm, subdomain }, external).iconUrl,
    );
    expect(new Set(icons).size).toBe(3);
    for (const icon of icons) expect(icon).toMatch(/^https:\/\/[\w.]+\/avatar\/[0-9a-f]{64}\?/);
  });
});
