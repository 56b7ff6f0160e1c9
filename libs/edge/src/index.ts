export { EdgeModule } from './edge.module.js';
export { type Access, endpoint, type EndpointDeclaration, type ParametersOf } from './endpoint.js';
export { type Admission, ADMISSION, type Applicant, type LimitState } from './http/admission.js';
export { configureEdge, createEdgeAdapter } from './http/configure-edge.js';
export { Endpoint, Parameters, SignedIn } from './http/endpoint.decorator.js';
export { endpointsOf } from './http/endpoints-of.js';
export { JsonText } from './http/json-text.js';
export { openApiDocument } from './openapi/openapi-document.js';
export { json, text } from './parameters/parameter.js';
