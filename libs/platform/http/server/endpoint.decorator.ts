import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  type INestApplicationContext,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { BodyEncoding } from '#platform/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import 'reflect-metadata';
import { type EndpointDeclaration, routePathOf } from '../endpoint.js';
import { FileInterceptor } from '../files/file-answer.interceptor.js';
import { AnswerSlotInterceptor } from './answer-slots.js';
import { acceptedEncoding } from './response-body.rules.js';

export const ENDPOINT = Symbol('endpoint');

/** Makes a method of a controller the route of an endpoint. It returns the fields of the response. */
export const Endpoint = (declaration: EndpointDeclaration): MethodDecorator =>
  applyDecorators(
    RequestMapping({
      method: RequestMethod[declaration.method],
      path: routePathOf(declaration),
    }),
    // Every success is 200; Nest would answer a POST with 201.
    HttpCode(200),
    SetMetadata(ENDPOINT, declaration),
    // Interceptors make a route slower: only few routes have one.
    ...(hasFiles(declaration) ? [UseInterceptors(FileInterceptor)] : []),
    ...(declaration.takesAnswerSlot === true ? [UseInterceptors(AnswerSlotInterceptor)] : []),
    returnObject,
  );

const hasFiles = ({ file, returns }: EndpointDeclaration): boolean =>
  file !== undefined || returns === 'file';

/** The parsed parameters, of the type `ParametersOf<typeof declaration>`. */
export const Parameters = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).endpoint?.parameters,
);

/** The `UploadedFile` of an endpoint that declares a file. */
export const SentFile = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).endpoint?.receiver?.file,
);

/** The signed-in account. */
export const SignedIn = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).endpoint?.caller,
);

/** The signed-in RemoteCaller of an endpoint for servers. */
export const SignedInServer = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).authenticated?.server,
);

/** The address of the client, behind the trusted proxies. */
export const ClientAddress = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).ip,
);

/** A function that calls a listener when the connection of the client is closed, or the response is sent. */
export const Closed = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  return (listener: () => void) => void raw.once('close', listener);
});

/**
 * The BodyEncoding for a CompressedResponse, one of the given ones or of all; null if the client accepts no compression, or
 * if ignored parameters must be added to the envelope.
 */
export const AcceptedEncoding = createParamDecorator(
  (offered: readonly BodyEncoding[] | undefined, context: ExecutionContext) => {
    const { endpoint, headers } = requestOf(context);
    // Uncompressed responses depend on the header too.
    context.switchToHttp().getResponse<FastifyReply>().header('Vary', 'Accept-Encoding');
    return endpoint?.ignored.length === 0
      ? acceptedEncoding(headers['accept-encoding'], offered)
      : null;
  },
);

const requestOf = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>();

/** Returns an empty object for a route without a result: Fastify calls `preSerialization` for objects only. */
function returnObject(
  _target: object,
  _name: string | symbol,
  descriptor: PropertyDescriptor,
): void {
  const route = descriptor.value as (...parameters: unknown[]) => unknown;
  const returning = async function (this: unknown, ...parameters: unknown[]): Promise<unknown> {
    return (await route.apply(this, parameters)) ?? {};
  };
  for (const key of Reflect.getMetadataKeys(route)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, route), returning);
  }
  descriptor.value = returning;
}

/** The endpoints of a capability. A gateway serves those of all capabilities in one module. */
export interface Endpoints {
  /** The modules that the controllers need, without those with settings. */
  readonly imports?: readonly Type[];
  readonly controllers: readonly Type[];
}

/** The declared endpoints of the controllers, in their order. Throws Error when one is declared twice. */
export const endpointsOf = (all: readonly Endpoints[]): EndpointDeclaration[] =>
  declarationsOf(all.flatMap(({ controllers }) => controllers));

/** The endpoints of all modules of an application. Throws Error when one is declared twice. */
export const endpointsOfApp = (app: INestApplicationContext): EndpointDeclaration[] =>
  declarationsOf(
    [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => (metatype ? [metatype as Type] : [])),
    ),
  );

function declarationsOf(controllers: readonly Type[]): EndpointDeclaration[] {
  const declarations = controllers.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(
      ({ value }): EndpointDeclaration[] =>
        typeof value === 'function' && Reflect.hasMetadata(ENDPOINT, value)
          ? [Reflect.getMetadata(ENDPOINT, value) as EndpointDeclaration]
          : [],
    ),
  );
  const seen = new Set<string>();
  for (const declaration of declarations) {
    const route = `${declaration.method} ${routePathOf(declaration)}`;
    if (seen.has(route))
      throw new Error(`${declaration.method} ${declaration.path} is declared twice`);
    seen.add(route);
  }
  return declarations;
}
