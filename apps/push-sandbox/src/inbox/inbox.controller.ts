import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Controller,
  Get,
  Header,
  type MessageEvent,
  NotFoundException,
  Param,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { InboxFeed } from './inbox-feed.js';

// Sources and compiled files have the same relative path to it.
const folder = fileURLToPath(new URL('../../public', import.meta.url));

/** The page loads only its own files; payloads stay text. */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** The files of the page; no other file is served. */
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

/** The inbox page, and the events that it follows. */
@Controller()
export class InboxController {
  constructor(private readonly feed: InboxFeed) {}

  @Sse('api/events')
  follow(): Observable<MessageEvent> {
    return this.feed.events();
  }

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
