import { Controller } from '@nestjs/common';
import { Endpoint } from '#platform/http';
import { listLinkifiers } from './realm-state.schema.js';

@Controller()
export class RealmStateController {
  @Endpoint(listLinkifiers)
  linkifiers() {
    return { linkifiers: [] };
  }
}
