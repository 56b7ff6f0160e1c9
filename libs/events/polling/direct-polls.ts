import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mapMaybe } from '#platform/core';
import {
  addDirectRoute,
  type DirectRequest,
  type DirectRouteOptions,
  type ParametersOf,
} from '#platform/http';
import { fieldsOf, pollOf } from './events.controller.js';
import type { PollClient } from './held-poll.js';
import { getEvents } from './polling.schema.js';
import { PollingService } from './polling.service.js';

/** Answers most polls without the framework. */
export function addDirectPolls(app: NestFastifyApplication, options: DirectRouteOptions): void {
  const polling = app.get(PollingService, { strict: false });
  addDirectRoute(app, {
    declaration: getEvents,
    prepare: (request) => {
      const begun = polling.beginKnown(request.caller, pollOf(request.parameters));
      return mapMaybe(begun, (pending) => () => polling.answer(pending, new DirectClient(request)));
    },
    ...options,
  });
}

/** The client of a poll that is answered without the framework. */
class DirectClient implements PollClient {
  constructor(private readonly request: DirectRequest<ParametersOf<typeof getEvents>>) {}

  send(texts: Promise<string[]>): void {
    const { parameters } = this.request;
    this.request.send(texts.then((events) => fieldsOf(parameters, events)));
  }

  onClosed(listener: () => void): void {
    this.request.onClosed(listener);
  }
}
