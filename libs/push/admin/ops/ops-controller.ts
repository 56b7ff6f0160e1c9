import {
  applyDecorators,
  Controller,
  StandardSchemaValidationPipe,
  UseFilters,
  UsePipes,
} from '@nestjs/common';
import { z } from 'zod';
import { OpsErrorFilter } from './ops-error.filter.js';

/** A number from 1 to `max` in a query string. */
export const limitedNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `expected a number from 1 to ${max}`)
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, `expected a number from 1 to ${max}`);

/**
 * A controller below /ops: without the API's envelope, its input validated by the schemas of its parameters.
 * `serveOps` authenticates the requests.
 */
export const OpsController = (path: string): ClassDecorator =>
  applyDecorators(
    Controller(path),
    UseFilters(OpsErrorFilter),
    UsePipes(new StandardSchemaValidationPipe()),
  );
