import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The text of a file; its path begins at the root of the repository. */
export const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The paths of the code of the programs, without tests and generated files. */
export const programSources: readonly string[] = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter(
      (path) => path.endsWith('.ts') && !/[.-]spec\.ts$|\.fixture\.ts$|\/generated\//.test(path),
    ),
);
