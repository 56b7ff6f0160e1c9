import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('links each panel of the ops page in its navigation, in order', () => {
  const page = readFileSync('libs/push/admin/ops/public/ops.html', 'utf8');
  const [, navigation = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(page) ?? [];
  const links = [...navigation.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  const panels = [...page.matchAll(/<section id="([^"]+)" class="panel"/g)].map(([, id]) => id);
  expect(panels.length).toBeGreaterThan(5);
  expect(links).toEqual(panels);
});
