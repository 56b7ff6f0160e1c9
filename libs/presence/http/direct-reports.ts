import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addDirectRoute, charged, type DirectRouteOptions } from '#platform/http';
import { PresenceController } from './presence.controller.js';
import { reportPresence } from './presence.schema.js';

/** Answers most reports without the framework. */
export function addDirectReports(app: NestFastifyApplication, options: DirectRouteOptions): void {
  const controller = app.get(PresenceController, { strict: false });
  addDirectRoute(app, {
    declaration: reportPresence,
    prepare: charged(app, (request) =>
      controller.report(request.caller, request.parameters, request.acceptedEncoding()),
    ),
    ...options,
  });
}
