import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addDirectRoute, type DirectRouteOptions } from '#platform/http';
import { EventsController } from './events.controller.js';
import { getEvents } from './polling.schema.js';

/** Answers most polls without the framework. Call it before the application listens. */
export function addDirectPolls(app: NestFastifyApplication, options: DirectRouteOptions): void {
  const controller = app.get(EventsController, { strict: false });
  addDirectRoute(app, {
    declaration: getEvents,
    answer: (caller, parameters, onClosed) => controller.answer(caller, parameters, onClosed),
    ...options,
  });
}
