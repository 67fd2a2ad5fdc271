import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import { type Job, type OfferAnswer, requestersOf } from '../../../src/jobs/job.ts';
import { questionView, saidSinceView, sendAlongView } from '../../../src/slack/views/compose.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import { messageOfJob } from '../../../src/slack/views/message.ts';
import {
  ephemeralView,
  refusalView,
  requestNotPostedView,
  runningJobView,
} from '../../../src/slack/views/private-answers.ts';
import { noticeView, privateNoticeView } from '../../../src/slack/views/turn-ended.ts';
import { fc } from '../../support/properties.ts';
import { aJob } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { address, announcement, job, names, seenJob, slackId, text, time } from './support/hostile.ts';
import { announcementView, outcomes, postedView, tooLateView } from './support/thread.ts';

const answers = Object.keys(outcomes) as OfferAnswer[];

/** All that is called so, at any depth. */
function allIn(value: unknown, ...names: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    names.includes(name) ? [inner].flat().filter((one) => typeof one === 'string') : allIn(inner, ...names),
  );
}

/** With a job of which a code host says something. */
function announced() {
  return announcement().chain((one) =>
    fc.tuple(
      fc.constant(one),
      seenJob(() => allIn(one, 'url')[0]),
    ),
  );
}

describe('whatever people and the agent API write', () => {
  test('the card stays safe and inside the limits', () => {
    const queue = fc.record({
      waiting: fc.nat(),
      untilMs: fc.option(time()),
      sendNow: fc.option(fc.nat()),
      undecided: fc.option(fc.record({ count: fc.nat(), callId: fc.uuid() })),
    });
    fc.assert(
      fc.property(
        seenJob(({ agentJob }) => agentJob?.prLink),
        queue,
        (j, q) => {
          const prLink = j.agentJob?.prLink ?? '';
          expectSafe(cardView(j, { queue: q, names }), { urls: [prLink], named: [prLink] });
        },
      ),
    );
  });

  const oursIn = (a: Announcement, j: Job) => ({
    users: [...requestersOf(j), ...allIn(a, 'userId', 'authors', 'authorIds')],
    channels: allIn(a, 'channelId'),
    named: [...allIn(a, 'url'), ...allIn(j.origin, 'permalink')],
  });

  test('announcements do', () => {
    fc.assert(fc.property(announced(), ([a, j]) => expectSafe(announcementView(a, j, names), oursIn(a, j))));
  });

  test('announcements do when what they offered is settled, and have no button left that makes something happen', () => {
    const outcome = fc.record({ answer: fc.constantFrom(...answers), by: fc.option(slackId()) });
    fc.assert(
      fc.property(announced(), outcome, text(), ([a, j], o, name) => {
        const view = postedView(a, j, o, new Map([...names, [o.by ?? '', name]]));
        expectSafe(view, oursIn(a, j));
        // *Reply to the agent* opens a form, and is never used up.
        const left = view.blocks.filter(
          (block) => !JSON.stringify(block).includes('"action_id":"follow_up"'),
        );
        expect(JSON.stringify(left)).not.toContain('"value":');
      }),
    );
  });

  test('notices do', () => {
    const permalink = fc.option(address());
    const noticed = address().chain((url) =>
      fc.tuple(
        fc.constant(url),
        seenJob(() => url),
      ),
    );
    fc.assert(
      fc.property(noticed, permalink, ([u, j], p) => {
        expectSafe(noticeView(j, u, p, names), { urls: [u], named: [u] });
        expectSafe(privateNoticeView(j, u), { urls: [u], named: [u] });
      }),
    );
  });

  test('what only one person sees does', () => {
    const outcome = fc.record({ answer: fc.constantFrom(...answers), by: fc.option(slackId()) });
    fc.assert(
      fc.property(job(), outcome, text(), (j, o, name) =>
        expectSafe(tooLateView(j, o, new Map([[o.by ?? '', name]])), { named: [j.agentJob?.prLink ?? ''] }),
      ),
    );
    type Notice = Parameters<typeof ephemeralView>[0];
    const told = (notice: Notice, j: Job) =>
      messageOfJob(j, names, ephemeralView(notice, j, { nowMs: 0 }).blocks);
    expectSafe(told({ kind: 'edited_after_sending', messageTs: '1.000100' }, aJob()), {});
    fc.assert(
      fc.property(job(), text(), (j, said) => {
        expectSafe(told({ kind: 'stop', messageTs: '1.000100', said }, j), {});
        const place = { channelId: 'C1', threadTs: '1.000100', messageTs: '1.000200' };
        expectSafe(sendAlongView(place, [said, 'Bob']), {});
        expectSafe(saidSinceView(j, { ...place, jobId: 'job-1', sinceTs: '1.000100' }, [said]), {});
        const running = { job: j, permalink: null, names: new Map() };
        expectSafe(runningJobView(running, 'stop', 0), {});
        expectSafe(runningJobView(running, 'progress', 0), {});
      }),
    );
  });

  test('private answers do', () => {
    fc.assert(
      fc.property(text(), job(), (reason, j) =>
        expectSafe(requestNotPostedView('card_refused', reason, j, names), {}),
      ),
    );
    fc.assert(
      fc.property(text(), fc.array(text()), (name, known) =>
        expectSafe(
          refusalView({
            kind: 'unknown_project',
            name,
            projects: known.map((one) => ({ id: one, name: one })),
          }),
          {},
        ),
      ),
    );
    fc.assert(
      fc.property(job(), fc.option(job()), fc.option(address()), (j, sameAs, p) =>
        expectSafe(questionView({ job: j, sameAs }, p), { users: requestersOf(j) }),
      ),
    );
  });
});
