import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { FileInterceptor } from '../files/file.interceptor.js';
import { routePathOf } from './route-path.rules.js';
import { takenEncoding } from './taken-encoding.rules.js';

export const ENDPOINT = Symbol('endpoint');

/** Makes a controller's method the route of a declared endpoint; what it returns are the answer's fields. */
export const Endpoint = (declaration: EndpointDeclaration): MethodDecorator =>
  applyDecorators(
    RequestMapping({
      method: RequestMethod[declaration.method],
      path: routePathOf(declaration),
    }),
    // The contract knows one success; Nest would answer 201 to a POST.
    HttpCode(200),
    SetMetadata(ENDPOINT, declaration),
    // Nest goes a longer way for a route with interceptors: only those that need it have one.
    ...(hasFiles(declaration) ? [UseInterceptors(FileInterceptor)] : []),
    answerAlways,
  );

const hasFiles = ({ file, returns }: EndpointDeclaration): boolean =>
  file !== undefined || returns === 'file';

/** The endpoint's parsed parameters, of the type `ParametersOf<typeof declaration>`. */
export const Parameters = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).edge?.parameters,
);

/** The file that the request brought, an `UploadedFile`, where the endpoint declares one. */
export const SentFile = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).edge?.receiver?.file,
);

/** The account that the request is signed in as. */
export const SignedIn = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).edge?.caller,
);

/**
 * What a FinishedResponse may be compressed with, a BodyEncoding; null where the client takes none, or where the
 * envelope has more to say than a response that is made elsewhere.
 */
export const TakenEncoding = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { edge, headers } = requestOf(context);
  // Of every answer that was given after a look at the header, also of one that is text.
  context.switchToHttp().getResponse<FastifyReply>().header('Vary', 'Accept-Encoding');
  return edge?.ignored.length === 0 ? takenEncoding(headers['accept-encoding']) : null;
});

const requestOf = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>();

/** A route that returns nothing still answers with the envelope, which Fastify adds to objects only. */
function answerAlways(
  _target: object,
  _name: string | symbol,
  descriptor: PropertyDescriptor,
): void {
  const route = descriptor.value as (...parameters: unknown[]) => unknown;
  const answering = async function (this: unknown, ...parameters: unknown[]): Promise<unknown> {
    return (await route.apply(this, parameters)) ?? {};
  };
  for (const key of Reflect.getMetadataKeys(route)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, route), answering);
  }
  descriptor.value = answering;
}
