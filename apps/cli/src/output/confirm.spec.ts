import { describe, expect, it } from '@jest/globals';
import { RecordingTerminal } from '#test/recording-terminal';
import { confirm } from './confirm.js';

describe(confirm.name, () => {
  it.each(['y', 'Y', 'yes', ' YES '])('accepts "%s" as a yes', async (says) => {
    const terminal = new RecordingTerminal({ says });
    await confirm(terminal, false, 'Remove it?');
    expect(terminal.asked).toEqual(['Remove it? [y/N] ']);
  });

  it.each(['', 'n', 'yesterday'])('treats "%s" as a no', async (says) => {
    await expect(
      confirm(new RecordingTerminal({ says }), false, 'Remove it?'),
    ).rejects.toMatchObject({
      code: 'refused',
    });
  });

  it('does not ask with --yes', async () => {
    const terminal = new RecordingTerminal({ says: 'n' });
    await confirm(terminal, true, 'Remove it?');
    expect(terminal.asked).toEqual([]);
  });

  it('rejects without an interactive terminal', async () => {
    await expect(confirm(new RecordingTerminal(), false, 'Remove it?')).rejects.toMatchObject({
      code: 'wrong_use',
      message: expect.stringContaining('--yes'),
    });
  });
});
