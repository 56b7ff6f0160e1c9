import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OperatorGate } from './operator-gate.js';

/** Lets only the operator in to the routes of a controller. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(private readonly gate: OperatorGate) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.gate.admit(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}
