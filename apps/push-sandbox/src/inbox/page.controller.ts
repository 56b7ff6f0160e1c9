import { Controller, Get, Header, NotFoundException, Param, StreamableFile } from '@nestjs/common';
import { createReadStream, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(projectRoot(), 'apps/push-sandbox/public');

/** The page runs its own files and asks its own server; whatever a payload brings stays text. */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** All that the page consists of: no other file can be asked for. */
const types = new Map([
  ['inbox.html', 'text/html'],
  ['inbox.css', 'text/css'],
  ['phone.css', 'text/css'],
  ['details.css', 'text/css'],
  ['inbox.js', 'text/javascript'],
  ['phone.js', 'text/javascript'],
  ['details.js', 'text/javascript'],
  ['dom.js', 'text/javascript'],
]);

/** The inbox page, as it lies in `public`. */
@Controller()
export class PageController {
  @Get()
  @Header('content-security-policy', contentSecurityPolicy)
  page() {
    return this.file('inbox.html');
  }

  @Get(':name')
  @Header('cache-control', 'no-cache')
  file(@Param('name') name: string): StreamableFile {
    const type = types.get(name);
    if (type === undefined) throw new NotFoundException(`There is no page ${name}`);
    const stream = createReadStream(join(folder, name));
    return new StreamableFile(stream, { type: `${type}; charset=utf-8` });
  }
}

/** The page is not compiled, so it is found from the sources and from `dist` alike. */
function projectRoot(): string {
  let current = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(current, 'package.json'))) current = dirname(current);
  return current;
}
