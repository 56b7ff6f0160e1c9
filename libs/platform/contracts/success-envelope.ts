/**
 * The text of a whole successful response: the members of a JSON object in the envelope, with the ignored parameters if
 * any. Every response is created by this function.
 */
export function successEnvelope(object: string, ignored: readonly string[] = []): string {
  const head =
    ignored.length === 0
      ? '{"result":"success","msg":""'
      : `{"result":"success","msg":"","ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
  return object === '{}' ? `${head}}\n` : `${head},${object.slice(1)}\n`;
}
