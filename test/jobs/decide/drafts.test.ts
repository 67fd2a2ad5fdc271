import { describe, expect, test } from 'vitest';
import { type JobRequest, requestDraft } from '../../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import { isUnattended } from '../../../src/jobs/job.ts';
import { noAttachments } from '../../../src/jobs/requests/attachments.ts';
import { fc } from '../../support/properties.ts';
import { request as aRequest, HOUR_MS } from '../support/builders.ts';
import { happens, laterBy, live, type Step } from '../support/story.ts';
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

const started = (facts: Partial<Extract<JobEvent, { type: 'draft_started' }>> = {}) =>
  ({ type: 'draft_started', draft: 1, userId: 'U2', ...facts }) as const;
const start = (facts: Parameters<typeof started>[0] = {}) => happens(started(facts));
const seen = (...userIds: string[]) => ({ type: 'marks_seen', userIds }) as const;
const marked = (...userIds: string[]) => happens(seen(...userIds));
const message = { thread, prompt: 'Document the quotas', attachments: noAttachments, along: [] };
const again = (...userIds: string[]) =>
  ({ type: 'marked_once_more', userIds, approvers: [], message }) as const;
const markedOnceMore = (...userIds: string[]) => happens(again(...userIds));
const dismissal = (draft = 1) => ({ type: 'draft_dismissed', draft, userId: 'U3' }) as const;
const posting = { type: 'draft_posted', draft: 1, ts: '200.000000' } as const;
const expires = happens({ type: 'draft_expired' });
const refuses = happens(({ told: [announcement] }) => {
  if (announcement === undefined) throw new Error('there is no draft');
  return { type: 'post_refused', callId: 'call', announcement, reason: 'is_archived' };
});
const outcomes = (world: World) => (world.job.offers ?? []).map(({ outcome }) => outcome);
const others = (kind: 'image' | 'video') => [{ kind, name: null }] as const;
const image = { snippets: [], others: others('image') } as const;

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
    const world = live(aDraft(), start({ said: 'Bob: a 429' }));
    const opened = { threadTs: '100.000000', repliesAfterTs: '101.000000', requesterId: 'U1' };
    expect(world.job).toMatchObject(opened);
    world.cardPosted();
    expect(world.open('create_job')[0]?.request.prompt).toBe('Document the rate limits\n\nBob: a 429');
    expect(outcomes(world)).toEqual([{ answer: 'started', by: 'U2' }]);
  });

  test('of a recipe is a start of whoever pressed Start, as far as the hourly budget goes', () => {
    const world = aDraft({ requesterId: null, recipe: 'weekly-review', thread: null });
    expect(isUnattended(world.job)).toBe(true);
    live(world, start({ postTs: '200.000000' }));
    expect(isUnattended(world.job)).toBe(false);
    expect(world.job.requesterId).toBeNull();
  });

  test.each([
    ['posted first', [happens(posting), start({ postTs: '999.000000' })]],
    ['pressed first', [start({ postTs: '200.000000' }), happens(posting)]],
  ])('at the top level of the channel becomes the thread of its job (%s)', (_, steps) => {
    expect(live(aDraft({ thread: null }, []), ...steps).job.threadTs).toBe('200.000000');
  });

  test('goes on with the request as it was edited, and with what is attached to the chosen messages', () => {
    const prompt = 'Document the limits of &lt;b&gt;';
    const world = live(aDraft(), start({ prompt, attachments: image }));
    world.cardPosted();
    expect(world.open('create_job')[0]?.request.prompt).toBe(prompt);
    expect(world.news).toContain('not sent: image');
  });

  test('goes on with its own context and attachments, too, and answers nobody at an address of long ago', () => {
    const snippet = (name: string) => ({ name, url: 'https://files.example/1' });
    const attachments = { snippets: [snippet('a.txt')], others: others('video') };
    const own = { context: 'Carol: in March', attachments, responseUrl: 'https://hooks.example/1' };
    const more = { ...image, snippets: [snippet('b.txt')] };
    const world = live(aDraft({ thread, ...own }), start({ said: 'Bob: a 429', attachments: more }));
    expect(world.job).toMatchObject({
      context: 'Carol: in March\n\nBob: a 429',
      snippets: [snippet('a.txt'), snippet('b.txt')],
      others: [...others('video'), ...others('image')],
      responseUrl: null,
    });
  });

  test('made once more is of the message, the rules and the time of then', () => {
    const other = { threadTs: '100.000000', lastTs: '150.000000' };
    const then = { ...message, thread: other, attachments: image, along: ['150.000000'] };
    const once = happens({ ...again('U5'), approvers: ['U6'], message: then });
    const world = live(aDraft(), marked(), laterBy(HOUR_MS), once);
    expect(world.job).toMatchObject({ others: others('image'), requestedAtMs: world.nowMs });
    expect(world.job.stage).toMatchObject({ thread: other, messages: ['150.000000'] });
    expect(world.told.at(-1)).toMatchObject({ kind: 'draft', number: 2, approvers: ['U6'] });
  });

  test('made once more is not touched by what comes late of the first', () => {
    const world = live(aDraft(), marked(), markedOnceMore('U5'));
    const { stage } = world.job;
    const unseen = happens({ type: 'draft_unseen', draft: 1 });
    for (const late of [happens(posting), unseen, happens(dismissal()), refuses])
      expect(live(world, late).job.stage).toEqual(stage);
  });

  test('is settled by the first who starts or dismisses it', () => {
    const ends: JobEvent[] = [started(), started({ prompt: 'Another' }), dismissal(), seen()];
    for (const first of ends) {
      for (const second of ends) {
        const world = live(aDraft(), happens(first));
        const { job } = world;
        expect(world.apply(second).calls).toEqual([]);
        expect(world.job).toEqual(job);
      }
    }
  });

  test('that was dismissed says by whom, and marks make no other', () => {
    const world = live(aDraft(), happens(dismissal()), marked(), markedOnceMore('U1', 'U4'));
    expect(world.news).toEqual(['draft 1']);
    expect(outcomes(world)).toEqual([{ answer: 'dismissed', by: 'U3' }]);
    expect(world.tasks.has('refresh_posts')).toBe(true);
  });

  test('is withdrawn when the last person takes the mark away, who is named, and not before', () => {
    const world = live(aDraft(), marked('U1', 'U4'), marked('U4'));
    expect(outcomes(world)).toEqual([null]);
    live(world, marked());
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'withdrawn' });
    expect(outcomes(world)).toEqual([{ answer: 'withdrawn', by: 'U4' }]);
  });

  test('that was withdrawn is made once more by a new mark; buttons of the first do nothing', () => {
    const world = live(aDraft(), marked(), markedOnceMore('U5', 'U1'), markedOnceMore('U5', 'U1'));
    expect(world.news).toEqual(['draft 1', 'draft 2']);
    expect(world.apply(started()).calls).toEqual([]);
    live(world, start({ draft: 2 }));
    expect(world.job).toMatchObject({
      stage: { kind: 'opening' },
      requesterId: 'U5',
      prompt: 'Document the quotas',
    });
    expect(outcomes(world)).toEqual([
      { answer: 'withdrawn', by: 'U1' },
      { answer: 'started', by: 'U2' },
    ]);
  });

  test('is forgotten after a week, once, unless somebody has decided', () => {
    const world = aDraft();
    expect(world.seconds(world.tasks.get('expire_draft'))).toBe(WEEK_MS / 1000);
    live(world, laterBy(WEEK_MS), expires, expires);
    expect(outcomes(world)).toEqual([{ answer: 'expired', by: null }]);
    expect(world.apply(started()).calls).toEqual([]);
    live(world, marked());
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'expired', byUserId: null });
    expect(live(aDraft(), start(), laterBy(WEEK_MS), expires).job.stage.kind).toBe('opening');
  });

  test.each<[string, Step[]]>([
    ['expired', [laterBy(WEEK_MS), expires]],
    ['not_posted', [refuses]],
  ])('that is %s is made once more by a new mark, not by those that are there still', (why, ends) => {
    const world = live(aDraft(), marked('U1', 'U4'), ...ends);
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why });
    live(world, markedOnceMore('U4', 'U1'));
    expect(world.news).toEqual(['draft 1']);
    // U1 has taken the mark away, and puts it there again.
    live(world, marked('U4'), markedOnceMore('U4', 'U1'));
    expect(world.news).toEqual(['draft 1', 'draft 2']);
    const stage = { kind: 'draft', markedBy: ['U4', 'U1'] };
    expect(world.job).toMatchObject({ requesterId: 'U1', stage });
  });

  test('that nobody asked for by a mark is not withdrawn for lack of marks', () => {
    expect(live(aDraft({ thread }, [], {}), marked()).job.stage.kind).toBe('draft');
  });

  test('that was made once more is kept for a week from then on', () => {
    const world = live(aDraft(), laterBy(HOUR_MS), marked(), markedOnceMore('U1'));
    live(world, laterBy(WEEK_MS - HOUR_MS), expires);
    expect(world.job.stage.kind).toBe('draft');
    expect(world.seconds(world.tasks.get('expire_draft'))).toBe((WEEK_MS + HOUR_MS) / 1000);
  });

  test('that Slack does not take is dropped, and whoever asked for it learns why', () => {
    const world = live(aDraft(), refuses);
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'not_posted' });
    const answers = world.calls.filter(({ request }) => request.kind === 'notify_requester');
    expect(answers.map(({ request }) => request)).toMatchObject([{ about: 'draft_refused' }]);
  });

  test('starts once at most, whatever happens in whatever order', () => {
    const anyEvent = fc.constantFrom<JobEvent>(
      started(),
      started({ draft: 2 }),
      dismissal(),
      dismissal(2),
      posting,
      { type: 'draft_expired' },
      seen(),
      seen('U4'),
      again('U4'),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const world = aDraft();
        for (const event of events) live(world, laterBy(24 * HOUR_MS), happens(event));
        expect(world.open('post_card').length).toBe(world.job.stage.kind === 'opening' ? 1 : 0);
        const open = outcomes(world).filter((outcome) => outcome === null);
        expect(open.length).toBe(world.job.stage.kind === 'draft' ? 1 : 0);
      }),
    );
  });
});
