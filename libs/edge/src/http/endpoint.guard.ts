import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { LimitState } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { ignoredParameters, parseParameters } from '../parameters/parse-parameters.rules.js';
import { type Admission, ADMISSION } from './admission.js';
import { ENDPOINT } from './endpoint.decorator.js';
import { refuseForeignPath } from './path-parameters.rules.js';
import { readRawParameters } from './raw-parameters.js';

/**
 * Lets a request in to a declared endpoint, in the contract's order: sign-in, rate limit, role,
 * parameters. Routes that declare no endpoint (health, documentation) are not its concern.
 */
@Injectable()
export class EndpointGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(ADMISSION) private readonly admission: Admission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declaration = this.reflector.get<EndpointDeclaration | undefined>(
      ENDPOINT,
      context.getHandler(),
    );
    if (declaration === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const caller = await this.admission.admit(
      {
        authorization: request.headers.authorization,
        host: request.headers.host ?? '',
        address: request.ip,
      },
      declaration.access,
      (state) => showLimit(reply, state),
    );
    refuseForeignPath(declaration, request.params);
    const raw = await readRawParameters(request);
    request.edge = {
      declaration,
      caller,
      parameters: parseParameters(declaration.parameters, raw),
      ignored: ignoredParameters(declaration.parameters, raw),
    };
    return true;
  }
}

function showLimit(reply: FastifyReply, state: LimitState): void {
  reply.header('X-RateLimit-Limit', state.limit);
  reply.header('X-RateLimit-Remaining', state.remaining);
  reply.header('X-RateLimit-Reset', state.resetsAt);
}
