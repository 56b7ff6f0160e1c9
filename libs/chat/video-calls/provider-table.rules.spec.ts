import { describe, expect, it } from '@jest/globals';
import { providerNames, providerTable, providerTitles } from './provider-table.rules.js';

const NOW = Date.UTC(2026, 7, 1, 12, 0, 30);
const client = { clientId: 'id', clientSecret: 'secret' };
const { webex, zoom } = providerTable({
  webex: { ...client, apiUrl: 'https://webex.test' },
  zoom: { ...client, oauthUrl: 'https://zoom.test', apiUrl: 'https://api.zoom.test/x' },
});

describe(providerTable.name, () => {
  it('has an entry for every provider, null by default', () => {
    const off = providerTable({ webex: null, zoom: null });
    expect(off).toEqual({ webex: null, zoom: null });
    expect(Object.keys(off)).toEqual([...providerNames]);
    expect(Object.keys(providerTitles)).toEqual([...providerNames]);
  });

  it('appends the paths to the addresses of a provider', () => {
    expect(webex).toMatchObject({
      authorizationUrl: 'https://webex.test/v1/authorize',
      tokenUrl: 'https://webex.test/v1/access_token',
      meetingsUrl: 'https://webex.test/v1/meetings',
    });
    expect(zoom).toMatchObject({
      authorizationUrl: 'https://zoom.test/oauth/authorize',
      tokenUrl: 'https://zoom.test/oauth/token',
      meetingsUrl: 'https://api.zoom.test/x/v2/users/me/meetings',
    });
  });

  it('requests a Webex meeting of forty minutes from the next minute on', () => {
    expect(webex?.meetingRequest(NOW)).toEqual({
      title: 'Video call',
      start: '2026-08-01T12:01:30.000Z',
      end: '2026-08-01T12:41:30.000Z',
      sendEmail: false,
    });
  });

  it('requests an instant Zoom meeting', () => {
    expect(zoom?.meetingRequest(NOW)).toEqual({ topic: 'Video call', type: 1 });
  });

  it.each([
    ['https://meet.test/1', true],
    ['http://meet.test/1', true],
    ['javascript:alert(1)', false],
    ['//meet.test/1', false],
    ['', false],
    [null, false],
    [undefined, false],
  ])('validates the meeting address %s: %s', (address, isValid) => {
    const answers = [{ webLink: address }, { join_url: address }];
    const parsed = [webex, zoom].map((one, index) => one?.meetingAnswer.safeParse(answers[index]));
    for (const one of parsed) {
      expect(one).toMatchObject(isValid ? { success: true, data: address } : { success: false });
    }
  });
});
