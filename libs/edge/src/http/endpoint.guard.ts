import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Optional,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Admission, ADMISSION, type Caller, refuseRole } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { FileReceiver } from '../files/file-receiver.js';
import { FileSpool } from '../files/file-spool.js';
import { ignoredParameters, parseParameters } from '../parameters/parse-parameters.rules.js';
import { admitRequest } from './admit-requests.js';
import { ENDPOINT } from './endpoint.decorator.js';
import { refuseForeignPath } from './path-parameters.rules.js';
import { readRawParameters } from './raw-parameters.js';
import { cutOffWhenStalled } from './request-body.js';

/**
 * Lets a request in to a declared endpoint, in the contract's order: sign-in and rate limit, which were looked at
 * before the body was read, then role, parameters. Routes that declare no endpoint (health, documentation) are not
 * its concern.
 */
@Injectable()
export class EndpointGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(ADMISSION) private readonly admission: Admission,
    @Optional() @Inject(FileSpool) private readonly spool: FileSpool | null = null,
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
    const caller = await this.#callerOf(declaration, request, reply);
    refuseForeignPath(declaration, request.params);
    const receiver = this.#receiverFor(declaration);
    try {
      if (receiver !== null) cutOffWhenStalled(request.raw, reply.raw);
      await takeIn(request, { declaration, caller, receiver });
      return true;
    } catch (error) {
      await receiver?.discard();
      // Of a body that was not read to its end no other request can follow on the connection.
      if (receiver !== null && !request.raw.complete) reply.header('Connection', 'close');
      throw error;
    }
  }

  /**
   * The sign-in was made before the body was read. It is missing where the body has named another method, and the
   * endpoint of the request's own method asks for none.
   */
  async #callerOf(
    { access }: EndpointDeclaration,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Caller | null> {
    const isMissing = access !== 'anyone' && request.admitted?.caller == null;
    if (request.admitted === null || isMissing) {
      await admitRequest(this.admission, request, reply, { access });
    }
    const caller = access === 'anyone' ? null : (request.admitted?.caller ?? null);
    if (caller !== null) refuseRole(caller, access);
    return caller;
  }

  #receiverFor({ file, path }: EndpointDeclaration): FileReceiver | null {
    if (file === undefined) return null;
    if (this.spool === null) throw new Error(`${path} takes a file, and there is no place for one`);
    return new FileReceiver(file, this.spool);
  }
}

interface Admitted {
  readonly declaration: EndpointDeclaration;
  readonly caller: Caller | null;
  readonly receiver: FileReceiver | null;
}

/** Reads the body: parameters are looked at before the file is, though it had to be read first. */
async function takeIn(request: FastifyRequest, admitted: Admitted): Promise<void> {
  const { declaration, receiver } = admitted;
  const raw = await readRawParameters(request, declaration, receiver);
  request.edge = {
    ...admitted,
    parameters: parseParameters(declaration.parameters, raw),
    ignored: ignoredParameters(declaration.parameters, raw),
  };
  receiver?.requireFile();
}
