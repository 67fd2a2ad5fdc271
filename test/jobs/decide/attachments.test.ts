import { describe, expect, test } from 'vitest';
import type { Attachments, ReadSnippet } from '../../../src/jobs/requests/attachments.ts';
import { request, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import {
  checked,
  edits,
  goesOut,
  happens,
  live,
  passes,
  removes,
  says,
  startsAgain,
  tsOf,
} from '../support/story.ts';
import { World } from '../support/world.ts';

const notes = { name: 'notes.txt', url: 'https://files.slack.com/notes.txt' };
const table = { name: 'table.csv', url: 'https://files.slack.com/table.csv' };
const image = { kind: 'image', name: null } as const;
const soon = passes(10 * SECOND_MS);

const sending = (text: string, attachments: Partial<Attachments>) =>
  says(text, { attachments: { snippets: [], others: [], ...attachments } });
/** Null: of the request. */
const reads = (number: number | null, ...snippets: readonly ReadSnippet[]) =>
  happens({ type: 'snippets_read', messageTs: number === null ? null : tsOf(number), snippets });
const one: ReadSnippet = { name: 'notes.txt', text: 'one' };
const notSent = ({ news }: World) => news.filter((line) => line.startsWith('not sent'));

describe('text snippets in a reply (F5)', () => {
  test('go along; the reply, and those after it, wait until they are read, and those before it do not', () => {
    const world = aWorkingJob();
    live(world, says('Before'), sending('See the notes', { snippets: [notes, table] }), says('Later'));
    expect(world.tasks.has('read_snippets')).toBe(true);
    expect(live(world, passes(60 * SECOND_MS)).messages).toEqual(['Before']);
    const read = reads(2, one, { name: 'table.csv', text: 'a,b' });
    live(world, (w) => w.accepted(), read, read, passes(0));
    expect(world.messages.slice(1)).toEqual(['See the notes\n\nnotes.txt:\none\n\ntable.csv:\na,b\n\nLater']);
  });

  test('that cannot be read, or are too long, are named, and the rest goes out', () => {
    const world = live(
      aWorkingJob({ promptMaxLength: 50 }),
      sending('See the notes', { snippets: [notes, table, notes] }),
      reads(
        1,
        { name: 'notes.txt', problem: 'unreadable' },
        { name: 'table.csv', text: 'x'.repeat(40) },
        { name: 'short.txt', text: 'one' },
      ),
      goesOut,
    );
    expect(notSent(world)).toEqual(['not sent: notes.txt unreadable, table.csv too_long']);
    expect(world.messages).toEqual(['See the notes\n\nshort.txt:\none']);
  });

  test.each<[string, ReadSnippet, string]>([
    ['cannot be read', { name: 'notes.txt', problem: 'unreadable' }, 'notes.txt unreadable'],
    ['turn out to be pictures when Slack is asked', { name: 'a.png', kind: 'image' }, 'a.png'],
  ])('alone, that %s, are named, and nothing is sent', (_what, read, named) => {
    const world = live(aWorkingJob(), sending('', { snippets: [notes] }));
    expect(world.states).toEqual(['waiting']);
    live(world, reads(1, read), soon);
    expect([notSent(world), world.states, world.messages]).toEqual([
      [`not sent: ${named}`],
      ['excluded'],
      [],
    ]);
  });

  test.each([
    ['an aside', 'aside: see the notes', false],
    ['kept out of a muted thread', 'See the notes', true],
  ])(
    'go along when a reply that was %s is edited into one for the agent, and the rest is named',
    (...story) => {
      const [, before, isMuted] = story;
      const attachments = { snippets: [notes], others: [image] };
      const edit = edits(2, 'See the notes', { mentionsBot: isMuted, attachments });
      const world = live(aWorkingJob(), says(isMuted ? 'mute' : 'aside'), sending(before, attachments));
      expect([notSent(world), world.tasks.has('read_snippets')]).toEqual([[], false]);
      live(world, edit, edit, reads(2, one), soon);
      expect(notSent(world)).toEqual(['not sent: image']);
      expect(world.messages).toEqual(['See the notes\n\nnotes.txt:\none']);
    },
  );

  test('of a reply that was deleted meanwhile are not sent', () => {
    const steps = [sending('See the notes', { snippets: [notes] }), removes(1), reads(1, one), soon];
    const { states, messages } = live(aWorkingJob(), ...steps);
    expect([states, messages]).toEqual([['withdrawn'], []]);
  });
});

describe('what the agent cannot take (F5)', () => {
  test('is named once, and the text goes out', () => {
    const others = [image, { kind: 'file', name: null }] as const;
    const world = live(aWorkingJob(), sending('Like this', { others }), edits(1, 'So'), goesOut);
    expect([notSent(world), world.messages]).toEqual([['not sent: image, file'], ['So']]);
  });

  test('alone is named, and is no empty follow-up; text that is added later goes out', () => {
    const world = live(aWorkingJob(), sending(' ', { others: [image] }), soon);
    expect([notSent(world), world.states]).toEqual([['not sent: image'], ['excluded']]);
    expect(live(world, edits(1, 'The button is green'), soon).messages).toEqual(['The button is green']);
  });
});

describe('snippets of the message that starts a job (F5)', () => {
  const unread = reads(null, { name: 'notes.txt', problem: 'no_text' });
  const onlyFile = { ...request, prompt: 'See notes.txt', attachments: { snippets: [notes], others: [] } };
  const posted = (world: World) => world.cardPosted();

  test('that cannot be read, and are all there is, start nothing, and the card says so (R2)', () => {
    const world = live(new World({}, onlyFile), posted, unread);
    expect(world.open('create_job')).toEqual([]);
    expect(world.job.stage).toEqual({ kind: 'rejected', message: 'Nothing in it could be read.' });
    expect(world.news).toEqual(['not sent: notes.txt no_text']);
  });

  test('that cannot be read leave the words of the request, or of a reply (R2)', () => {
    const inWords = live(new World({}, { ...onlyFile, prompt: 'Document the notes' }), posted, unread);
    const withReply = live(new World({}, onlyFile), posted, says('They are about limits'), unread);
    for (const world of [inWords, withReply]) expect(world.open('create_job')).toHaveLength(1);
  });

  test('go to the agent with the prompt, even when it is run again; the rest is named', () => {
    const world = new World({}, { ...request, attachments: { snippets: [notes], others: [image] } });
    live(world, posted);
    expect([world.news, world.open('create_job')]).toEqual([['not sent: image'], []]);
    expect(world.tasks.has('read_snippets')).toBe(true);
    const prompts = () => world.open('create_job').map(({ request: { prompt } }) => prompt);
    live(world, reads(null, one), reads(null, one));
    expect(prompts()).toEqual([`${request.prompt}\n\nnotes.txt:\none`]);
    live(world, (w) => w.created(), checked({ status: 'failed' }), startsAgain);
    expect(prompts()).toEqual([`${request.prompt}\n\nnotes.txt:\none`]);
  });
});
