import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Optional,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Admission, ADMISSION, type Caller } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { FileReceiver } from '../files/file-receiver.js';
import { FileSpool } from '../files/file-spool.js';
import { ignoredParameters, parseParameters } from '../parameters/parse-parameters.rules.js';
import { ENDPOINT } from './endpoint.decorator.js';
import { refuseForeignPath } from './path-parameters.rules.js';
import { readRawParameters } from './raw-parameters.js';
import { showLimit } from './show-limit.js';
import { cutOffWhenStalled } from './stalled-request.js';

/**
 * Lets a request in to a declared endpoint, in the contract's order: sign-in, rate limit, role,
 * parameters. Routes that declare no endpoint (health, documentation) are not its concern.
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
    const caller = await this.admission.admit(
      {
        authorization: request.headers.authorization,
        host: request.headers.host ?? '',
        address: request.ip,
      },
      declaration.access,
      (state) => showLimit(reply, state),
      // A page full of pictures must not use up the calls of whoever looks at it.
      declaration.returns === 'file',
    );
    refuseForeignPath(declaration, request.params);
    const receiver = this.#receiverFor(declaration);
    try {
      await takeIn(request, { declaration, caller, receiver });
      return true;
    } catch (error) {
      await receiver?.discard();
      // Of a body that was not read to its end no other request can follow on the connection.
      if (receiver !== null && !request.raw.complete) reply.header('Connection', 'close');
      throw error;
    }
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
  if (receiver !== null) cutOffWhenStalled(request.raw);
  const raw = await readRawParameters(request, declaration, receiver);
  request.edge = {
    ...admitted,
    parameters: parseParameters(declaration.parameters, raw),
    ignored: ignoredParameters(declaration.parameters, raw),
  };
  receiver?.requireFile();
}
