import { Controller, Get, Header, NotFoundException, Param, StreamableFile } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The folder is as far from the sources as its copy is from what was compiled of them.
const folder = fileURLToPath(new URL('../../public', import.meta.url));

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
