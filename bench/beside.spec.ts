import { describe, expect, it } from '@jest/globals';
import { besideIn, besideTable } from './beside.js';
import { resultOf } from './results.js';

describe(besideIn.name, () => {
  it('takes the folder from the arguments', () => {
    const { beside, rest } = besideIn(['push.single', '--beside', '/other', '--profile']);
    expect({ beside, rest }).toEqual({ beside: '/other', rest: ['push.single', '--profile'] });
    expect(besideIn(['push']).beside).toBeNull();
  });

  it('needs a folder', () => {
    expect(() => besideIn(['--beside'])).toThrow('needs the folder');
  });
});

describe(besideTable.name, () => {
  const finding = (value: number, cpu: number, bytes: number) => ({
    result: resultOf({
      name: 'push.some',
      value,
      unit: 'devices/s',
      limit: 100,
      target: null,
      cpu_s_per_1000: { postgresql: cpu },
      bytes_each: { wal: bytes },
    }),
    notes: [],
    faults: [],
  });

  it('divides the figures of this build by those of the other one', () => {
    expect(besideTable([finding(50, 0.05, 100)], [finding(25, 0.2, 400)])).toEqual([
      'push.some: 50 and 25 devices/s, x 2.00; beside the limit 0.5 and 0.25, x 2.00',
      '  us of postgresql: 50 and 200, x 0.25',
      '  bytes, wal: 100 and 400, x 0.25',
    ]);
  });

  it('leaves out what only one of them measured', () => {
    expect(besideTable([finding(50, 0.05, 100)], [])).toEqual([]);
  });
});
