import {
  applyDecorators,
  Controller,
  StandardSchemaValidationPipe,
  UseFilters,
  UsePipes,
} from '@nestjs/common';
import { OpsErrorFilter } from './ops-error.filter.js';

/**
 * A controller below /ops: outside the API's envelope, what comes in checked by the schemas of its parameters.
 * The operator's sign-in is checked before, for everything below /ops (`serveOps`).
 */
export const OpsController = (path: string): ClassDecorator =>
  applyDecorators(
    Controller(path),
    UseFilters(OpsErrorFilter),
    UsePipes(new StandardSchemaValidationPipe()),
  );
