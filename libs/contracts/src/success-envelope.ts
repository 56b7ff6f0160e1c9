/**
 * The text of a whole successful response around the finished JSON text of an object, with the parameters that were
 * ignored if any were. Whoever sends a response, or makes one for others to send, has it from here, byte for byte.
 */
export function successEnvelope(object: string, ignored: readonly string[] = []): string {
  const head =
    ignored.length === 0
      ? '{"result":"success","msg":""'
      : `{"result":"success","msg":"","ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
  return object === '{}' ? `${head}}\n` : `${head},${object.slice(1)}\n`;
}
