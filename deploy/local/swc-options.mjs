/**
 * How swc compiles the sources, for the build and for Jest: like tsc with tsconfig.json, without checking types.
 * @type {import('@swc/core').Options}
 */
export const swcOptions = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
    },
  },
  module: { type: 'es6' },
};
