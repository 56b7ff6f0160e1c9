import type { Endpoints } from '#platform/http';
import { UploadsController } from './uploads.controller.js';

export { addResumableUploads } from './tus/resumable-uploads.js';

/** Needs UploadsModule. */
export const uploadsEndpoints: Endpoints = { controllers: [UploadsController] };
