import {
  applyDecorators,
  BadRequestException,
  Controller,
  type PipeTransform,
  StandardSchemaValidationPipe,
  UseFilters,
  UsePipes,
} from '@nestjs/common';
import { z } from 'zod';
import { RejectedBody } from '#platform/http';
import { OpsErrorFilter } from './ops-error.filter.js';

/** A number from 1 to `max` in a query string. */
export const limitedNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `expected a number from 1 to ${max}`)
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, `expected a number from 1 to ${max}`);

/**
 * Refuses a body that could not be read, and texts with a NUL character, which PostgreSQL cannot hold. A value is one text, or
 * the texts of a form or a query.
 */
const refuseUnusable: PipeTransform = {
  transform(value: unknown, { type }): unknown {
    if (value instanceof RejectedBody) throw value.error;
    const texts = typeof value === 'string' ? { [type]: value } : Object(value);
    const name = Object.keys(texts).find((key) => String(texts[key]).includes('\0'));
    if (name === undefined) return value;
    throw new BadRequestException(`${name}: expected a text without NUL characters`);
  },
};

/**
 * A controller below /ops: without the API's envelope, its input validated by the schemas of its parameters.
 * `serveOps` authenticates the requests.
 */
export const OpsController = (path: string): ClassDecorator =>
  applyDecorators(
    Controller(path),
    UseFilters(OpsErrorFilter),
    UsePipes(refuseUnusable, new StandardSchemaValidationPipe()),
  );
