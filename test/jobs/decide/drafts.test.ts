import { describe, expect, test } from 'vitest';
import { type JobRequest, requestDraft } from '../../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import { isUnattended } from '../../../src/jobs/job.ts';
import { fc } from '../../support/properties.ts';
import { request as aRequest, HOUR_MS } from '../support/builders.ts';
import { World } from '../support/world.ts';

const WEEK_MS = 7 * 24 * HOUR_MS;
const thread = { threadTs: '100.000000', lastTs: '101.000000' };

function aDraft(
  request: Partial<JobRequest> = { thread },
  messages = ['101.000000'],
  by: { markedBy?: readonly string[] } = { markedBy: ['U1'] },
): World {
  const facts = { messages, approvers: [], ...by };
  return new World({}, { ...aRequest, ...request }, (one, context) => requestDraft(one, facts, context));
}

function end(world: World, why: 'expired' | 'not_posted'): void {
  const [announcement] = world.told;
  if (announcement === undefined) throw new Error('there is no draft');
  if (why === 'not_posted') {
    world.apply({ type: 'post_refused', callId: 'call', announcement, reason: 'is_archived' });
  } else {
    world.nowMs += WEEK_MS;
    world.apply({ type: 'draft_expired' });
  }
  expect(world.job.stage).toMatchObject({ kind: 'dropped', why });
}

const start = (facts: Partial<Extract<JobEvent, { type: 'draft_started' }>> = {}) =>
  ({ type: 'draft_started', draft: 1, userId: 'U2', ...facts }) as const;
const marked = (...userIds: string[]) => ({ type: 'marks_seen', userIds }) as const;
const message = {
  thread,
  prompt: 'Document the quotas',
  attachments: { snippets: [], others: [] },
  along: [],
};
const markedOnceMore = (...userIds: string[]) =>
  ({ type: 'marked_once_more', userIds, approvers: [], message }) as const;
const outcomes = (world: World) => (world.job.offers ?? []).map(({ outcome }) => outcome);

describe('a draft (T2)', () => {
  test('is posted where it belongs, and nothing goes to the agent', () => {
    const world = aDraft();
    expect(world.news).toEqual(['draft 1']);
    expect(world.told[0]).toMatchObject({ threadTs: '100.000000' });
    expect(world.open('post_card')).toEqual([]);
    expect(world.job).toMatchObject({ stage: { kind: 'draft' }, threadTs: '100.000000' });
    expect(aDraft({ thread: null }).told[0]).toMatchObject({ threadTs: null });
  });

  test('becomes a job in its thread when somebody starts it, with what the chosen messages say', () => {
    const world = aDraft();
    world.apply(start({ said: 'Bob: a 429' }));
    expect(world.job).toMatchObject({
      threadTs: '100.000000',
      repliesAfterTs: '101.000000',
      requesterId: 'U1',
    });
    world.cardPosted();
    expect(world.open('create_job')[0]?.request.prompt).toBe('Document the rate limits\n\nBob: a 429');
    expect(outcomes(world)).toEqual([{ answer: 'started', by: 'U2' }]);
  });

  test('of a recipe is a start of whoever pressed Start, as far as the hourly budget goes', () => {
    const world = aDraft({ requesterId: null, recipe: 'weekly-review', thread: null });
    expect(isUnattended(world.job)).toBe(true);
    world.apply(start({ postTs: '200.000000' }));
    expect(isUnattended(world.job)).toBe(false);
    expect(world.job.requesterId).toBeNull();
  });

  test('at the top level of the channel becomes the thread of its job', () => {
    const known = aDraft({ thread: null }, []);
    known.apply({ type: 'draft_posted', draft: 1, ts: '200.000000' });
    known.apply(start({ postTs: '999.000000' }));
    expect(known.job.threadTs).toBe('200.000000');

    const pressedFirst = aDraft({ thread: null }, []);
    pressedFirst.apply(start({ postTs: '200.000000' }));
    pressedFirst.apply({ type: 'draft_posted', draft: 1, ts: '200.000000' });
    expect(pressedFirst.job.threadTs).toBe('200.000000');
  });

  test('goes on with the request as it was edited, and with what is attached to the chosen messages', () => {
    const world = aDraft();
    const attachments = { snippets: [], others: [{ kind: 'image', name: null }] } as const;
    world.apply(start({ prompt: 'Document the limits of &lt;b&gt;', attachments }));
    world.cardPosted();
    expect(world.open('create_job')[0]?.request.prompt).toBe('Document the limits of &lt;b&gt;');
    expect(world.news).toContain('not sent: image');
  });

  test('goes on with its own context and attachments, too, and answers nobody at an address of long ago', () => {
    const snippet = (name: string) => ({ name, url: 'https://files.example/1' });
    const attachments = { snippets: [snippet('a.txt')], others: [{ kind: 'video', name: null }] } as const;
    const responseUrl = 'https://hooks.example/1';
    const world = aDraft({ thread, context: 'Carol: in March', attachments, responseUrl });
    const more = { snippets: [snippet('b.txt')], others: [{ kind: 'image', name: null }] } as const;
    world.apply(start({ said: 'Bob: a 429', attachments: more }));
    expect(world.job).toMatchObject({
      context: 'Carol: in March\n\nBob: a 429',
      snippets: [snippet('a.txt'), snippet('b.txt')],
      others: [
        { kind: 'video', name: null },
        { kind: 'image', name: null },
      ],
      responseUrl: null,
    });
  });

  test('made once more is of the message, the rules and the time of then', () => {
    const world = aDraft();
    world.apply(marked());
    world.nowMs += HOUR_MS;
    const attachments = { snippets: [], others: [{ kind: 'image', name: null }] } as const;
    const other = { threadTs: '100.000000', lastTs: '150.000000' };
    const then = { ...message, thread: other, attachments, along: ['150.000000'] };
    world.apply({ type: 'marked_once_more', userIds: ['U5'], approvers: ['U6'], message: then });
    expect(world.job).toMatchObject({ others: [{ kind: 'image', name: null }], requestedAtMs: world.nowMs });
    expect(world.job.stage).toMatchObject({ thread: other, messages: ['150.000000'] });
    expect(world.told.at(-1)).toMatchObject({ kind: 'draft', number: 2, approvers: ['U6'] });
  });

  test('made once more is not touched by what comes late of the first', () => {
    const world = aDraft();
    const [announcement] = world.told;
    if (announcement === undefined) throw new Error('there is no draft');
    world.apply(marked());
    world.apply(markedOnceMore('U5'));
    const { stage } = world.job;
    const late: JobEvent[] = [
      { type: 'draft_posted', draft: 1, ts: '200.000000' },
      { type: 'draft_unseen', draft: 1 },
      { type: 'draft_dismissed', draft: 1, userId: 'U3' },
      { type: 'post_refused', callId: 'call', announcement, reason: 'is_archived' },
    ];
    for (const event of late) {
      world.apply(event);
      expect(world.job.stage).toEqual(stage);
    }
  });

  test('is settled by the first who starts or dismisses it', () => {
    const ends: JobEvent[] = [
      start(),
      start({ prompt: 'Another' }),
      { type: 'draft_dismissed', draft: 1, userId: 'U3' },
      marked(),
    ];
    for (const first of ends) {
      for (const second of ends) {
        const world = aDraft();
        world.apply(first);
        const { job } = world;
        expect(world.apply(second).calls).toEqual([]);
        expect(world.job).toEqual(job);
      }
    }
  });

  test('that was dismissed says by whom, and marks make no other', () => {
    const world = aDraft();
    world.apply({ type: 'draft_dismissed', draft: 1, userId: 'U3' });
    world.apply(marked());
    world.apply(markedOnceMore('U1', 'U4'));
    expect(world.news).toEqual(['draft 1']);
    expect(outcomes(world)).toEqual([{ answer: 'dismissed', by: 'U3' }]);
    expect(world.tasks.has('refresh_posts')).toBe(true);
  });

  test('is withdrawn when the last person takes the mark away, who is named, and not before', () => {
    const world = aDraft();
    world.apply(marked('U1', 'U4'));
    world.apply(marked('U4'));
    expect(outcomes(world)).toEqual([null]);
    world.apply(marked());
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'withdrawn' });
    expect(outcomes(world)).toEqual([{ answer: 'withdrawn', by: 'U4' }]);
  });

  test('that was withdrawn is made once more by a new mark; buttons of the first do nothing', () => {
    const world = aDraft();
    world.apply(marked());
    world.apply(markedOnceMore('U5', 'U1'));
    world.apply(markedOnceMore('U5', 'U1'));
    expect(world.news).toEqual(['draft 1', 'draft 2']);
    expect(world.apply(start()).calls).toEqual([]);
    world.apply(start({ draft: 2 }));
    expect(world.job).toMatchObject({ stage: { kind: 'opening' }, requesterId: 'U5' });
    expect(world.job.prompt).toBe('Document the quotas');
    expect(outcomes(world)).toEqual([
      { answer: 'withdrawn', by: 'U1' },
      { answer: 'started', by: 'U2' },
    ]);
  });

  test('is forgotten after a week, once, unless somebody has decided', () => {
    const world = aDraft();
    expect(world.seconds(world.tasks.get('expire_draft'))).toBe(WEEK_MS / 1000);
    world.nowMs += WEEK_MS;
    world.apply({ type: 'draft_expired' });
    world.apply({ type: 'draft_expired' });
    expect(outcomes(world)).toEqual([{ answer: 'expired', by: null }]);
    expect(world.apply(start()).calls).toEqual([]);
    world.apply(marked());
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'expired', byUserId: null });

    const started = aDraft();
    started.apply(start());
    started.nowMs += WEEK_MS;
    started.apply({ type: 'draft_expired' });
    expect(started.job.stage.kind).toBe('opening');
  });

  test.each(['expired', 'not_posted'] as const)(
    'that is %s is made once more by a new mark, not by those that are there still',
    (why) => {
      const world = aDraft();
      world.apply(marked('U1', 'U4'));
      end(world, why);
      world.apply(markedOnceMore('U4', 'U1'));
      expect(world.news).toEqual(['draft 1']);
      // U1 has taken the mark away, and puts it there again.
      world.apply(marked('U4'));
      world.apply(markedOnceMore('U4', 'U1'));
      expect(world.news).toEqual(['draft 1', 'draft 2']);
      expect(world.job).toMatchObject({
        requesterId: 'U1',
        stage: { kind: 'draft', markedBy: ['U4', 'U1'] },
      });
    },
  );

  test('that nobody asked for by a mark is not withdrawn for lack of marks', () => {
    const world = aDraft({ thread }, [], {});
    world.apply(marked());
    expect(world.job.stage.kind).toBe('draft');
  });

  test('that was made once more is kept for a week from then on', () => {
    const world = aDraft();
    world.nowMs += HOUR_MS;
    world.apply(marked());
    world.apply(markedOnceMore('U1'));
    world.nowMs += WEEK_MS - HOUR_MS;
    world.apply({ type: 'draft_expired' });
    expect(world.job.stage.kind).toBe('draft');
    expect(world.seconds(world.tasks.get('expire_draft'))).toBe((WEEK_MS + HOUR_MS) / 1000);
  });

  test('that Slack does not take is dropped, and whoever asked for it learns why', () => {
    const world = aDraft();
    end(world, 'not_posted');
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'not_posted' });
    const answers = world.calls.filter(({ request }) => request.kind === 'notify_requester');
    expect(answers.map(({ request }) => request)).toMatchObject([{ about: 'draft_refused' }]);
  });

  test('starts once at most, whatever happens in whatever order', () => {
    const anyEvent = fc.constantFrom<JobEvent>(
      start(),
      start({ draft: 2 }),
      { type: 'draft_dismissed', draft: 1, userId: 'U3' },
      { type: 'draft_dismissed', draft: 2, userId: 'U3' },
      { type: 'draft_posted', draft: 1, ts: '200.000000' },
      { type: 'draft_expired' },
      marked(),
      marked('U4'),
      markedOnceMore('U4'),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const world = aDraft();
        for (const event of events) {
          world.nowMs += 24 * HOUR_MS;
          world.apply(event);
        }
        expect(world.open('post_card').length).toBe(world.job.stage.kind === 'opening' ? 1 : 0);
        const open = outcomes(world).filter((outcome) => outcome === null);
        expect(open.length).toBe(world.job.stage.kind === 'draft' ? 1 : 0);
      }),
    );
  });
});
