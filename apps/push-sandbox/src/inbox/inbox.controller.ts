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
import { BASE_STYLES, ServedFiles } from '#platform/pages';
import { InboxFeed } from './inbox-feed.js';

// Sources and compiled files have the same relative path to it.
const folder = fileURLToPath(new URL('../../public', import.meta.url));

/** The page loads only its own files; payloads stay text. */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** The inbox page, and the events that it follows. */
@Controller()
export class InboxController {
  readonly #files = new ServedFiles().addFolder(folder).addFile(BASE_STYLES);

  constructor(private readonly feed: InboxFeed) {}

  @Sse('api/events')
  follow(): Observable<MessageEvent> {
    return this.feed.events();
  }

  @Get()
  @Header('content-security-policy', contentSecurityPolicy)
  page(): Promise<StreamableFile> {
    return this.file('inbox.html');
  }

  @Get(':name')
  @Header('cache-control', 'no-cache')
  async file(@Param('name') name: string): Promise<StreamableFile> {
    const file = await this.#files.read(name);
    if (file === null) throw new NotFoundException(`There is no page ${name}`);
    return new StreamableFile(file.content, { type: file.type });
  }
}
