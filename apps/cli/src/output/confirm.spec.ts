import { describe, expect, it } from '@jest/globals';
import { RecordingTerminal } from '../../../../test/support/recording-terminal.js';
import { confirm } from './confirm.js';

describe(confirm.name, () => {
  it.each(['y', 'Y', 'yes', ' YES '])('takes "%s" for a yes', async (says) => {
    const terminal = new RecordingTerminal({ says });
    await confirm(terminal, false, 'Remove it?');
    expect(terminal.asked).toEqual(['Remove it? [y/N] ']);
  });

  it.each(['', 'n', 'yesterday'])('takes "%s" for a no', async (says) => {
    await expect(
      confirm(new RecordingTerminal({ says }), false, 'Remove it?'),
    ).rejects.toMatchObject({
      code: 'refused',
    });
  });

  it('asks nobody who is sure', async () => {
    const terminal = new RecordingTerminal({ says: 'n' });
    await confirm(terminal, true, 'Remove it?');
    expect(terminal.asked).toEqual([]);
  });

  it('does nothing where nobody can be asked', async () => {
    await expect(confirm(new RecordingTerminal(), false, 'Remove it?')).rejects.toMatchObject({
      code: 'wrong_use',
      message: expect.stringContaining('--yes'),
    });
  });
});
