import {
  applyDecorators,
  Controller,
  StandardSchemaValidationPipe,
  UseFilters,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { OpsErrorFilter } from './ops-error.filter.js';
import { OperatorGuard } from './sign-in/operator.guard.js';

/**
 * A controller below /ops: for the operator alone, outside the API's envelope, what comes in checked by
 * the schemas of its parameters.
 */
export const OpsController = (path: string): ClassDecorator =>
  applyDecorators(
    Controller(path),
    UseGuards(OperatorGuard),
    UseFilters(OpsErrorFilter),
    UsePipes(new StandardSchemaValidationPipe()),
  );
