import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addDirectRoute, type DirectAnswer, type DirectRouteOptions } from '#platform/http';
import { fieldsOf, pollOf } from './events.controller.js';
import { getEvents } from './polling.schema.js';
import { type BegunAnswer, PollingService } from './polling.service.js';

/** Answers most polls without the framework. Call it before the application listens. */
export function addDirectPolls(app: NestFastifyApplication, options: DirectRouteOptions): void {
  const polling = app.get(PollingService, { strict: false });
  addDirectRoute(app, {
    declaration: getEvents,
    begin: ({ caller, parameters }) => {
      const toAnswer =
        (begun: BegunAnswer): DirectAnswer =>
        async (onClosed) =>
          fieldsOf(parameters, await polling.answer(begun, onClosed));
      const begun = polling.beginKnown(caller, pollOf(parameters));
      if (begun instanceof Promise) return begun.then((later) => later && toAnswer(later));
      return begun && toAnswer(begun);
    },
    ...options,
  });
}
