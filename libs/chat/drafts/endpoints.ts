import type { Endpoints } from '#platform/http';
import { DraftsController } from './drafts.controller.js';
import { DraftsModule } from './drafts.module.js';

export const draftsEndpoints: Endpoints = {
  imports: [DraftsModule],
  controllers: [DraftsController],
};
