import { describe, expect, test } from 'vitest';
import { failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aWorkingJob } from '../support/stages.ts';
import { edits, fails, goesOut, happens, live, passes, type Step, says, tsOf } from '../support/story.ts';
import type { World } from '../support/world.ts';

const toBot = { mentionsBot: true };
const soon = passes(10 * SECOND_MS);
/** What goes out to the agent. */
const sent = (world: World, ...steps: Step[]) => live(world, ...steps, soon).messages;
const sendsAnyway = (number: number) => happens({ type: 'send_anyway_pressed', messageTs: tsOf(number) });
const stored = ({ followUps }: World) => JSON.stringify([...followUps.values()]);

describe('an aside (F4)', () => {
  test.each(['aside: lunch?', 'Aside lunch?', 'ASIDE\nlunch?', ' aside, lunch?', 'aside'])(
    'is kept out, and its words are not kept: %j',
    (text) => {
      const world = live(aWorkingJob(), says(text), soon);
      expect([world.messages, world.states, world.news]).toEqual([[], ['aside'], ['started']]);
      expect(stored(world)).not.toContain('lunch');
      expect(sent(world, sendsAnyway(1))).toEqual([]);
    },
  );

  test.each(['Put it aside', 'asides are fine', 'aside-bar: no', 'Aside from the table, go on'])(
    'is none: %j',
    (text) => expect(sent(aWorkingJob(), says(text))).toEqual([text]),
  );

  test('goes out when its author makes a reply of it, in its place in the order, and not while it is one', () => {
    const steps = [says('aside: shorter'), says('second'), edits(1, 'aside: short')];
    expect(sent(aWorkingJob(), ...steps)).toEqual(['second']);
    expect(sent(aWorkingJob(), ...steps, edits(1, 'shorter'))).toEqual(['shorter\n\nsecond']);
  });

  test('can be made of a reply that waits, was refused, or is on its way and has to go again', () => {
    const world = live(
      aWorkingJob(),
      ...[says('waits'), edits(1, 'aside: waits'), says('x'.repeat(20_001)), edits(2, 'aside: refused')],
      ...[says('on its way'), goesOut, edits(3, 'aside: on its way'), fails(failures.rateLimited)],
      passes(HOUR_MS),
    );
    expect(world.messages).toEqual(['on its way']);
    expect(world.states).toEqual(['aside', 'aside', 'aside']);
  });
});

describe('what was probably not meant for the agent', () => {
  const lives = [
    ['before the job exists', aJobBeingCreated],
    ['while the agent works', aWorkingJob],
    ['after an end', anEndedJob],
  ] as const;
  const cases = [
    ['Please stop it now!', 'stop'],
    ['cancel', 'stop'],
    ['is it done?', 'progress'],
    ['status', 'status'],
    ['status 142', 'status'],
    ['details', 'details'],
    ['my jobs', 'list'],
    ['what can you do?', 'help'],
    ['Vielen Dank, super!', 'small_talk'],
  ] as const;

  test.each(lives.flatMap(([when, aJob]) => cases.map((one) => [...one, when, aJob] as const)))(
    '%j stays between people until its author says otherwise (%s, %s)',
    (text, kind, _when, aJob) => {
      const world = aJob();
      const before = world.ephemerals.length;
      live(world, says(text), soon);
      expect(world.ephemerals.slice(before)).toEqual([`U2: ${kind}`]);
      expect([world.messages, world.states]).toEqual([[], ['aside']]);
      expect(live(world, sendsAnyway(1), sendsAnyway(1)).states).toEqual(['waiting']);
    },
  );

  test('is what a waiting reply becomes by an edit, and no longer is by another one', () => {
    const steps = [says('Shorter, please'), edits(1, 'never mind')];
    expect(sent(aWorkingJob(), ...steps)).toEqual([]);
    const text = 'never mind, but mention the beta';
    expect(sent(aWorkingJob(), ...steps, soon, edits(1, text))).toEqual([text]);
  });

  test('is no reply with a file, or one that says more: that is meant', () => {
    const attachments = { snippets: [], others: [{ kind: 'image', name: null }] } as const;
    const world = live(
      aWorkingJob(),
      says('Stop mentioning the beta'),
      says('stop the page from loading twice'),
    );
    expect(world.ephemerals).toEqual([]);
    expect(sent(aWorkingJob(), says('ok', { attachments }))).toEqual(['ok']);
  });

  test('is a reply to a colleague: an aside, whose words are not kept; one that mentions the bot is for it', () => {
    const world = live(aWorkingJob(), says('<@U9> lunch?'));
    expect([world.states, world.ephemerals]).toEqual([['aside'], []]);
    expect(stored(world)).not.toContain('lunch');
    expect(sent(world, says('<@U9> is the author', toBot))).toEqual(['<@U9> is the author']);
  });

  test('is told to its author once in a job, if it is thanks (F4)', () => {
    const world = anEndedJob();
    const before = world.ephemerals.length;
    live(world, says('Thanks a lot!'), says(':tada:'), says('ok'), edits(1, 'Thanks!'), soon);
    expect([world.messages, world.states]).toEqual([[], ['aside', 'aside', 'aside']]);
    expect(world.ephemerals.length - before).toBe(1);
    expect(sent(world, edits(1, 'thanks, now shorter'))).toEqual(['thanks, now shorter']);
  });
});

describe('a muted thread (F4)', () => {
  test('is made by *Mute updates*, once, or by an edit, and not by a longer text that contains the word', () => {
    const presses = ['U2', 'U3'].map((userId) => happens({ type: 'mute_pressed', userId }));
    const pressed = live(aWorkingJob(), ...presses);
    expect([pressed.job.muted, pressed.news]).toEqual([true, ['started', 'muted by U2']]);
    const edited = live(aWorkingJob(), says('mut'), edits(1, 'mute'), soon);
    expect([edited.job.muted, edited.messages]).toEqual([true, []]);
    const longer = live(aWorkingJob(), says('mute the intro'), soon);
    expect([longer.job.muted, longer.messages]).toEqual([false, ['mute the intro']]);
  });

  const muted = says('mute');
  test.each<[string, Step[], string[]]>([
    ['a mention', [muted, says('Shorter', toBot)], ['Shorter']],
    ['what was written before', [says('Shorter'), muted], ['Shorter']],
    [
      'what was written meanwhile, edited into a mention',
      [muted, says('Short'), edits(2, 'S', toBot)],
      ['S'],
    ],
    ['the word that ended it, edited into a request', [says('unmute'), edits(1, 'Retries')], ['Retries']],
    ['not what was written meanwhile', [muted, says('Lnch?'), says('unmute'), edits(2, 'Lunch?')], []],
  ])('sends %s', (_what, steps, messages) => expect(sent(aWorkingJob(), ...steps)).toEqual(messages));

  test('shows an aside for one, and what is made of it for what was muted', () => {
    const world = live(aWorkingJob(), muted, says('aside: lunch'));
    for (const [text, state] of [
      ['aside: lunch!', 'aside'],
      ['lunch', 'muted'],
      ['aside lunch', 'aside'],
    ] as const)
      expect(live(world, edits(2, text)).states.at(-1)).toBe(state);
  });
});
