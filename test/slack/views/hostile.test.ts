import { describe, test } from 'vitest';
import { askedBeforeView } from '../../../src/slack/views/forms/asked-before.ts';
import { refusalView } from '../../../src/slack/views/refusals.ts';
import { announcementView, tooLateView } from '../../../src/slack/views/thread/announcement.ts';
import { cardView } from '../../../src/slack/views/thread/card.ts';
import { noticeView, privateNoticeView } from '../../../src/slack/views/thread/notice.ts';
import { requesterView, whisperView } from '../../../src/slack/views/thread/requester.ts';
import { fc } from '../../support/properties.ts';
import { aJob } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { address, announcement, job, names, text, time } from './support/hostile.ts';

describe('whatever people and the agent API write', () => {
  test('the card stays safe and inside the limits', () => {
    const queue = fc.record({
      waiting: fc.nat(),
      untilMs: fc.option(time()),
      sendNow: fc.option(fc.nat()),
      undecided: fc.option(fc.record({ state: fc.constantFrom('not_sent', 'unknown'), callId: fc.uuid() })),
    });
    fc.assert(
      fc.property(job(), queue, (j, q) => expectSafe(cardView(j, q, names), { users: [j.requesterId] })),
    );
  });

  test('announcements do', () => {
    fc.assert(
      fc.property(announcement(), job(), (a, j) => {
        const ours = {
          users: [j.requesterId, ...(a.kind === 'follow_up' ? [a.userId] : [])],
          channels: a.kind === 'notice_failed' ? [a.channelId] : [],
          urls: a.kind === 'pull_request' ? [a.url] : [],
        };
        expectSafe(announcementView(a, j, names), ours);
      }),
    );
  });

  test('notices do', () => {
    const permalink = fc.option(address());
    fc.assert(
      fc.property(job(), address(), permalink, (j, u, p) => {
        expectSafe(noticeView(j, u, p, names), { users: [j.requesterId], urls: [u] });
        expectSafe(privateNoticeView(u), { urls: [u], named: [u] });
      }),
    );
  });

  test('what only one person sees does', () => {
    fc.assert(fc.property(job(), (j) => expectSafe(tooLateView('Retry', j), {})));
    expectSafe(whisperView({ kind: 'edited_after_sending', messageTs: '1.000100' }, aJob()), {});
  });

  test('private answers do', () => {
    fc.assert(fc.property(text(), job(), (reason, j) => expectSafe(requesterView(reason, j, names), {})));
    fc.assert(
      fc.property(text(), fc.array(text()), (name, known) =>
        expectSafe(refusalView({ kind: 'unknown_project', name, names: known }), {}),
      ),
    );
    fc.assert(
      fc.property(job(), fc.option(job()), fc.option(address()), (j, sameAs, p) =>
        expectSafe(askedBeforeView({ job: j, sameAs }, p), { users: [j.requesterId] }),
      ),
    );
  });
});
