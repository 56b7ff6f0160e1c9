import { Controller, type MessageEvent, Sse } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { InboxFeed } from './inbox-feed.js';

/** What the page at `/` follows; the page itself is static. */
@Controller('api/events')
export class InboxController {
  constructor(private readonly feed: InboxFeed) {}

  @Sse()
  follow(): Observable<MessageEvent> {
    return this.feed.events();
  }
}
