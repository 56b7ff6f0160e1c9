import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addDirectRoute, type DirectRouteOptions } from '#platform/http';
import { fieldsOf, pollOf } from './events.controller.js';
import { getEvents } from './polling.schema.js';
import { PollingService } from './polling.service.js';

/** Answers most polls without the framework. Call it before the application listens. */
export function addDirectPolls(app: NestFastifyApplication, options: DirectRouteOptions): void {
  const polling = app.get(PollingService, { strict: false });
  addDirectRoute(app, {
    declaration: getEvents,
    begin: async ({ caller, parameters }) => {
      const begun = await polling.beginKnown(caller, pollOf(parameters));
      if (begun === null) return null;
      return async (onClosed) => fieldsOf(parameters, await polling.answer(begun, onClosed));
    },
    ...options,
  });
}
