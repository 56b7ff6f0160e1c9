import type { Endpoints } from '#platform/http';
import { SavedSnippetsController } from './saved-snippets.controller.js';
import { SavedSnippetsModule } from './saved-snippets.module.js';

export const savedSnippetsEndpoints: Endpoints = {
  imports: [SavedSnippetsModule],
  controllers: [SavedSnippetsController],
};
