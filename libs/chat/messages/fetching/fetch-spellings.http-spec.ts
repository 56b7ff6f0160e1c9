import { describe, expect, it } from '@jest/globals';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());

interface Found {
  readonly id: number;
  readonly match_subject: string;
}

/** Sends a message to each topic, with the name of the topic; resolves with their ids and a search in their channel. */
async function addTopics(...topics: readonly string[]) {
  const channel = await mail.addChannel([ada]);
  const ids: number[] = [];
  for (const topic of topics) {
    const { body } = await sendToChannel(ada, channel, `Re: ${topic}`, topic);
    ids.push(Number(body['id']));
  }
  const find = async (operator: string, operand: string) => {
    const narrow = [
      ['channel', channel.name],
      [operator, operand],
    ];
    const query = { anchor: 'newest', num_before: 100, num_after: 0, narrow };
    return (await ada.api.get('/messages', query)).body['messages'] as Found[];
  };
  return { ids, find };
}

describe('A narrow by topic or words', () => {
  it.each([
    ['για σας', ['για σας', 'ΓΙΑ ΣΑΣ', 'Για Σας']],
    ['ΓΙΑ ΣΑΣ', ['για σας', 'ΓΙΑ ΣΑΣ', 'Για Σας']],
    ['straße', ['Straße', 'STRASSE']],
    ['kadıköy', ['Kadıköy', 'KADIKÖY']],
    ['ПРИВЕТ', ['привет', 'Привет']],
  ])('finds %s in any case of its letters: %j', async (text, topics) => {
    const { ids, find } = await addTopics(...topics, 'another');
    const expected = ids.slice(0, topics.length);
    const idsOf = (found: readonly Found[]) => found.map(({ id }) => id);
    expect(idsOf(await find('topic', text))).toEqual(expected);
    expect(idsOf(await find('search', text))).toEqual(expected);
    expect(idsOf(await find('search', `"${text}"`))).toEqual(expected);
  });

  it('highlights what it finds', async () => {
    const { find } = await addTopics('για σας', 'ΓΙΑ ΣΑΣ');
    const mark = (text: string) => `<span class="highlight">${text}</span>`;
    const found = await find('search', 'σας');
    expect(found.map(({ match_subject: topic }) => topic)).toEqual([
      `για ${mark('σας')}`,
      `ΓΙΑ ${mark('ΣΑΣ')}`,
    ]);
  });
});
