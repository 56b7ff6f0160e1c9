import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Optional,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Authenticator, AUTHENTICATOR } from '#platform/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { FileReceiver, withReceivedFile } from '../files/file-receiver.js';
import { FileSpool } from '../files/file-spool.js';
import {
  ignoredParameters,
  parseParameters,
  refuseParameters,
} from '../parameters/parse-parameters.rules.js';
import { authorizeRequest, chargeRefused, confirmAccess } from './authenticate-requests.js';
import { ENDPOINT } from './endpoint.decorator.js';
import { readHeaders, readRawParameters, requireNumericPathParameters } from './raw-parameters.js';
import { ownerOf } from './request-owner.js';

/**
 * Runs the steps of the contract for a request to an endpoint: authorization (sign-in, rate limit, role), the body with
 * its file, the parameters. A multipart form contains the file and the parameters in one stream, and errors of parameters
 * precede errors of the file: therefore the steps are not an interceptor and a pipe.
 *
 * Routes without a declaration (health, documentation) pass.
 */
@Injectable()
export class EndpointGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
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
    const { access } = declaration;
    const signedIn = await authorizeRequest(this.authenticator, request, reply, access);
    requireNumericPathParameters(declaration, request.params);
    const receiver = this.#receiverFor(declaration, request);
    try {
      await withReceivedFile(receiver, request, reply, async () => {
        const { raw, replaced } = await readRawParameters(request, declaration, receiver);
        const caller = await confirmAccess(this.authenticator, request, reply, access);
        const headers = readHeaders(request, declaration);
        refuseParameters(declaration.refuses ?? [], raw);
        const parameters = parseParameters(declaration.parameters, raw, headers);
        const ignored = [...ignoredParameters(declaration.parameters, raw), ...replaced].toSorted();
        request.endpoint = { declaration, caller, receiver, parameters, ignored };
      });
    } catch (error) {
      if (declaration.chargesOwnLimit === true) {
        await chargeRefused(this.authenticator, signedIn, reply);
      }
      throw error;
    }
    return true;
  }

  #receiverFor({ file, path }: EndpointDeclaration, request: FastifyRequest): FileReceiver | null {
    if (file === undefined) return null;
    if (this.spool === null)
      throw new Error(`${path} declares a file, but this program has no FileSpool`);
    return new FileReceiver(file, this.spool, ownerOf(request));
  }
}
