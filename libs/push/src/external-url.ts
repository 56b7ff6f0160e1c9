/** DI token: the server's address, from which those of its organisations are made. */
export const PUSH_EXTERNAL_URL = Symbol('PushExternalUrl');
