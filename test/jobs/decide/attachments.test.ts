import { describe, expect, test } from 'vitest';
import type { Attachments } from '../../../src/jobs/requests/attachments.ts';
import { anAgentJob, aReply, request, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import { World } from '../support/world.ts';

const notes = { name: 'notes.txt', url: 'https://files.slack.com/notes.txt' };
const table = { name: 'table.csv', url: 'https://files.slack.com/table.csv' };

function reply(world: World, text: string, attachments: Partial<Attachments>, messageTs = '1.500000'): void {
  const facts = { messageTs, text, attachments: { snippets: [], others: [], ...attachments } };
  world.apply({ type: 'reply_received', reply: aReply(facts) });
}

describe('text snippets in a reply (F5)', () => {
  test('go along; the reply, and those after it, wait until they are read', () => {
    const world = aWorkingJob();
    reply(world, 'See the notes', { snippets: [notes, table] });
    world.reply('Later');
    world.advance(60 * SECOND_MS);
    expect(world.tasks.has('read_snippets')).toBe(true);
    expect(world.messages).toEqual([]);
    const snippets = [
      { name: 'notes.txt', text: 'one' },
      { name: 'table.csv', text: 'a,b' },
    ];
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.advance(0);
    expect(world.messages).toEqual(['See the notes\n\nnotes.txt:\none\n\ntable.csv:\na,b\n\nLater']);
  });

  test('hold up nothing that came before', () => {
    const world = aWorkingJob();
    world.apply({ type: 'reply_received', reply: aReply({ messageTs: '1.400000', text: 'Before' }) });
    reply(world, 'See the notes', { snippets: [notes] });
    world.advance(4 * SECOND_MS);
    expect(world.messages).toEqual(['Before']);
  });

  test('that cannot be read, or are too long, are named, and the rest goes out', () => {
    const world = aWorkingJob({ promptMaxLength: 50 });
    reply(world, 'See the notes', { snippets: [notes, table, notes] });
    const snippets = [
      { name: 'notes.txt', problem: 'unreadable' },
      { name: 'table.csv', text: 'x'.repeat(40) },
      { name: 'short.txt', text: 'one' },
    ] as const;
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.advance(4 * SECOND_MS);
    expect(world.news.at(-1)).toBe('not sent: notes.txt unreadable, table.csv too_long');
    expect(world.messages).toEqual(['See the notes\n\nshort.txt:\none']);
  });

  test('alone, that cannot be read leave nothing to send', () => {
    const world = aWorkingJob();
    reply(world, '', { snippets: [notes] });
    expect(world.states).toEqual(['waiting']);
    const snippets = [{ name: 'notes.txt', problem: 'unreadable' }] as const;
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.advance(10 * SECOND_MS);
    expect(world.states).toEqual(['excluded']);
    expect(world.messages).toEqual([]);
  });

  test('alone, that turn out to be pictures when Slack is asked, are named, and nothing is sent', () => {
    const world = aWorkingJob();
    reply(world, '', { snippets: [{ name: 'attached file', url: null, fileId: 'F1' }] });
    const snippets = [{ name: 'a.png', kind: 'image' }] as const;
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.advance(10 * SECOND_MS);
    expect(world.news.at(-1)).toBe('not sent: a.png');
    expect(world.states).toEqual(['excluded']);
    expect(world.messages).toEqual([]);
  });

  test.each([
    ['an aside', 'aside: see the notes', false],
    ['kept out of a muted thread', 'See the notes', true],
  ])(
    'go along when a reply that was %s is edited into one for the agent, and the rest is named',
    (_what, before, isMuted) => {
      const world = aWorkingJob();
      if (isMuted) world.reply('mute');
      const attachments = { snippets: [notes], others: [{ kind: 'image', name: null }] } as const;
      const messageTs = '9.500000';
      reply(world, before, attachments, messageTs);
      const facts = {
        messageTs,
        text: 'See the notes',
        editedTs: '9.600000',
        mentionsBot: isMuted,
        attachments,
      };
      for (const _twice of [1, 2]) world.apply({ type: 'reply_edited', reply: aReply(facts) });
      expect(world.tasks.has('read_snippets')).toBe(true);
      expect(world.news.at(-1)).toBe('not sent: image');
      const snippets = [{ name: 'notes.txt', text: 'one' }];
      world.apply({ type: 'snippets_read', messageTs, snippets });
      world.advance(10 * SECOND_MS);
      expect(world.messages).toEqual(['See the notes\n\nnotes.txt:\none']);
    },
  );

  test('of a reply that was deleted meanwhile are not sent', () => {
    const world = aWorkingJob();
    reply(world, 'See the notes', { snippets: [notes] });
    world.apply({ type: 'reply_deleted', messageTs: '1.500000' });
    const snippets = [{ name: 'notes.txt', text: 'one' }];
    world.apply({ type: 'snippets_read', messageTs: '1.500000', snippets });
    world.advance(10 * SECOND_MS);
    expect(world.states).toEqual(['withdrawn']);
    expect(world.messages).toEqual([]);
  });
});

describe('what the agent cannot take (F5)', () => {
  test('is named once, and the text goes out', () => {
    const world = aWorkingJob();
    reply(world, 'Like this', {
      others: [
        { kind: 'image', name: null },
        { kind: 'file', name: null },
      ],
    });
    world.apply({
      type: 'reply_edited',
      reply: aReply({ messageTs: '1.500000', text: 'So', editedTs: '9' }),
    });
    world.advance(4 * SECOND_MS);
    expect(world.news.filter((line) => line.startsWith('not sent'))).toEqual(['not sent: image, file']);
    expect(world.messages).toEqual(['So']);
  });

  test('alone is named, and is no empty follow-up; text that is added later goes out', () => {
    const world = aWorkingJob();
    reply(world, ' ', { others: [{ kind: 'image', name: null }] });
    world.advance(10 * SECOND_MS);
    expect(world.news.at(-1)).toBe('not sent: image');
    expect(world.states).toEqual(['excluded']);
    const edit = aReply({ messageTs: '1.500000', text: 'The button is green', editedTs: '9' });
    world.apply({ type: 'reply_edited', reply: edit });
    world.advance(10 * SECOND_MS);
    expect(world.messages).toEqual(['The button is green']);
  });

  test('is not named in an aside, or while the thread is muted (F4)', () => {
    const world = aWorkingJob();
    reply(world, 'aside: look', { others: [{ kind: 'image', name: null }], snippets: [notes] });
    world.reply('mute');
    reply(world, 'look', { others: [{ kind: 'image', name: null }], snippets: [notes] }, '1.600000');
    expect(world.news.filter((line) => line.startsWith('not sent'))).toEqual([]);
    expect(world.tasks.has('read_snippets')).toBe(false);
  });
});

describe('snippets of the message that starts a job (F5)', () => {
  const unread = [{ name: 'notes.txt', problem: 'no_text' }] as const;
  const onlyFile = { ...request, prompt: 'See notes.txt', attachments: { snippets: [notes], others: [] } };

  test('that cannot be read, and are all there is, start nothing, and the card says so (R2)', () => {
    const world = new World({}, onlyFile);
    world.cardPosted();
    world.apply({ type: 'snippets_read', messageTs: null, snippets: unread });
    expect(world.open('create_job')).toEqual([]);
    expect(world.job.stage).toEqual({ kind: 'rejected', message: 'Nothing in it could be read.' });
    expect(world.news).toEqual(['not sent: notes.txt no_text']);
  });

  test('that cannot be read leave the words of the request, or of a reply (R2)', () => {
    const inWords = new World({}, { ...onlyFile, prompt: 'Document the notes' });
    inWords.cardPosted();
    inWords.apply({ type: 'snippets_read', messageTs: null, snippets: unread });
    expect(inWords.open('create_job')).toHaveLength(1);
    const withReply = new World({}, onlyFile);
    withReply.cardPosted();
    withReply.reply('They are about limits');
    withReply.apply({ type: 'snippets_read', messageTs: null, snippets: unread });
    expect(withReply.open('create_job')).toHaveLength(1);
  });

  test('go to the agent with the prompt, even when it is run again; the rest is named', () => {
    const attachments: Attachments = { snippets: [notes], others: [{ kind: 'image', name: null }] };
    const world = new World({}, { ...request, attachments });
    world.cardPosted();
    expect(world.news).toEqual(['not sent: image']);
    expect(world.open('create_job')).toEqual([]);
    expect(world.tasks.has('read_snippets')).toBe(true);
    const snippets = [{ name: 'notes.txt', text: 'one' }];
    world.apply({ type: 'snippets_read', messageTs: null, snippets });
    world.apply({ type: 'snippets_read', messageTs: null, snippets });
    const prompt = `${request.prompt}\n\nnotes.txt:\none`;
    expect(world.open('create_job').map(({ request: { prompt: p } }) => p)).toEqual([prompt]);
    world.created();
    world.check(anAgentJob({ status: 'failed' }));
    world.apply({ type: 'start_again_pressed', creates: 1 });
    expect(world.open('create_job').map(({ request: { prompt: p } }) => p)).toEqual([prompt]);
  });
});
