import type { Endpoints } from '#platform/http';
import { ReceiptsController } from './receipts.controller.js';

/** Needs ReceiptsModule. */
export const receiptsEndpoints: Endpoints = { controllers: [ReceiptsController] };
