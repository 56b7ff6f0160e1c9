import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents } from '#events/declarations';
import { reportTypeNames } from './report-content.rules.js';

/** The reasons of reports in `POST /register`. They change only with the version of the server. */
@Injectable()
@DeclaresEvents()
export class ReportTypesEvents implements CapabilityEvents {
  readonly types = [];
  readonly fetchTypes = ['realm'];

  readState() {
    return Promise.resolve({ server_report_message_types: reportTypeNames });
  }
}
