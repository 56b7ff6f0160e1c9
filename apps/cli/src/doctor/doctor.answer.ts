import type { Answer } from '../command-context.js';
import type { Finding } from './findings.js';

const SIGNS = { ok: ' ', warning: '-', problem: '!' } as const;

/** The output of `carillon doctor`: problems first. */
export function doctorAnswer(findings: readonly Finding[]): Answer {
  const of = (level: Finding['level']) => findings.filter((finding) => finding.level === level);
  const ordered = [...of('problem'), ...of('warning'), ...of('ok')];
  const isHealthy = of('problem').length === 0;
  return {
    isFailure: !isHealthy,
    json: {
      is_healthy: isHealthy,
      findings: ordered.map(({ part, level, text, advice }) => ({ part, level, text, advice })),
    },
    text: ordered
      .flatMap(({ part, level, text, advice }) => [
        `${SIGNS[level]} ${part}: ${text}`,
        ...(advice === null ? [] : [`    ${advice}`]),
      ])
      .join('\n'),
  };
}
