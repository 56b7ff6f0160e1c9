import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** All files below a folder, as paths from the project root. */
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    path.join(folder, file),
  );

const sources = ['apps', 'libs', 'prisma', 'test', 'bench', 'deploy', 'findings'].flatMap(filesIn);
const fileNames = new Set([...sources, ...readdirSync(root)].map((file) => path.basename(file)));
const pages = [
  ...filesIn('docs').filter((file) => file.endsWith('.md')),
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  'bench/README.md',
  'findings/README.md',
];

const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The anchor of a heading, as Markdown viewers generate it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
const anchorsOf = (page: string) => matches(textOf(page), /^#+ (.+)$/gm).map(anchorOf);

function isBroken(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(root, target))) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
}

describe.each(pages)('%s', (page) => {
  it('links to existing pages and headings', () => {
    const text = textOf(page).replaceAll(/`[^`\n]*`/g, '');
    const links = matches(text, /\]\((?!https?:|mailto:)([^)\s]+)\)/g);
    expect(links.filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('names existing files', () => {
    const text = textOf(page);
    const names = matches(text, /`([\w.-]+\.(?:ts|mjs|lua))`/g);
    const paths = matches(text, /`((?:apps|libs|prisma|test|bench|deploy)\/[\w./-]+)`/g);
    expect(names.filter((name) => !fileNames.has(name))).toEqual([]);
    expect(paths.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });
});

describe('Sources and settings', () => {
  it('name existing pages and headings', () => {
    const files = [...sources, ...readdirSync(root)].filter((file) =>
      /(\.(ts|mjs|sql|lua|ya?ml|cfg)|Dockerfile|\.env\.example)$/.test(file),
    );
    const broken = files.flatMap((file) =>
      matches(textOf(file), /((?:docs|bench)\/[\w/-]+\.md(?:#[\w-]+)?)/g)
        .filter((link) => isBroken('README.md', link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
