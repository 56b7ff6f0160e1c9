import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The stylesheet `base.css`, which every page of the programs has. */
export const BASE_STYLES = fileURLToPath(new URL('public/base.css', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

interface ServedFile {
  readonly type: string;
  readonly content: Buffer;
}

/** Serves files by name. Only files that exist at the start are served, so that no path can be injected. */
export class ServedFiles {
  readonly #paths = new Map<string, string>();

  /** Adds all files of a folder and its subfolders, named by their relative path. */
  addFolder(folder: string): this {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile()) this.#paths.set(path.relative(folder, file).replaceAll('\\', '/'), file);
    }
    return this;
  }

  addFile(file: string): this {
    this.#paths.set(path.basename(file), file);
    return this;
  }

  /** Null for an unknown file. */
  async read(name: string): Promise<ServedFile | null> {
    const file = this.#paths.get(name);
    if (file === undefined) return null;
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
    return { type, content: await readFile(file) };
  }
}
