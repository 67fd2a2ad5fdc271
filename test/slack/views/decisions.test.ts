import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import { offerOf } from '../../../src/jobs/announcement.ts';
import type { OfferAnswer } from '../../../src/jobs/job.ts';
import type { FileKind } from '../../../src/jobs/requests/attachments.ts';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import { stateLine } from '../../../src/slack/views/job.ts';
import { aJob, noNames } from './a-job.ts';
import { announcementView, postedView } from './support/thread.ts';

describe('where a person must decide, the thread says why and offers a button', () => {
  const said = (announcement: Announcement) => announcementView(announcement, aJob(), noNames).text;
  const again = { jobId: 'job-1', creates: 1 };
  const call = { jobId: 'job-1', callId: 'call-1' };
  const refused = { kind: 'message_rejected', callId: 'call-1', action: 'send_again' } as const;

  test.each<[string, Announcement, string, [string, object][]]>([
    [
      'after a failure',
      { kind: 'failed' },
      '❌ <@U1> *Failed.* The agent gave no reason.',
      [
        ['Start again', again],
        ['Edit and start', again],
      ],
    ],
    [
      'after a second failure in a row',
      { kind: 'failed', inARow: 2 },
      '❌ <@U1> *Failed.* The agent gave no reason. Twice in a row. A shorter request that names the page often helps.',
      [
        ['Start again', again],
        ['Edit and start', again],
      ],
    ],
    [
      'after the prompt was refused',
      { kind: 'create_rejected', message: 'too vague' },
      '❌ <@U1> *Not accepted.* The agent says:\n“too vague”',
      [['Edit and start', again]],
    ],
    [
      'after the prompt was refused without a reason',
      { kind: 'create_rejected', message: '' },
      '❌ <@U1> *Not accepted.* The agent gave no reason.',
      [['Edit and start', again]],
    ],
    [
      'when nobody knows whether the job started',
      { kind: 'create_unknown', callId: 'call-1' },
      "❓ <@U1> *Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it. Check for a pull request before you start again.",
      [
        ['Start again', { ...call, asks: 'Start it a second time?' }],
        ['I found the job…', call],
        ['Dismiss', call],
      ],
    ],
    [
      'after follow-ups were refused',
      { ...refused, count: 2, authorIds: ['U2', 'U3', 'U2'], message: 'job is closed' },
      "⚠️ <@U2> <@U3> *Not sent:* the agent didn't accept 2 replies. It says:\n“job is closed”",
      [['Send again', call]],
    ],
    [
      'after a follow-up was refused without a reason',
      { ...refused, count: 1, authorIds: [], message: '' },
      "⚠️ *Not sent:* the agent didn't accept 1 reply. It gave no reason.",
      [['Send again', call]],
    ],
    [
      'after a reply that this program refuses before the agent is asked',
      { ...refused, count: 1, authorIds: ['U2'], message: 'It has no text.', refusedBy: 'program' },
      '⚠️ <@U2> *Not sent:* 1 reply. It has no text.',
      [['Send again', call]],
    ],
    [
      'after the API did not know the job of a follow-up',
      { ...refused, count: 2, authorIds: [], message: 'Job not found', action: 'start_again' },
      "⚠️ *Not sent:* 2 replies. The agent no longer knows this job. *Start again* sends the same request as a new job, then the replies that weren't sent.\n“Job not found”",
      [['Start again', { ...again, ...call }]],
    ],
    [
      'when the agent does not know the job any more',
      { kind: 'vanished' },
      '❌ <@U1> *The agent no longer knows this job.*',
      [['Start again', again]],
    ],
    [
      'after a long time of work (W4)',
      { kind: 'long_running', question: 2, lastedMs: 6 * 3_600_000 },
      '⏳ <@U1> *Still working after 6 h.* Keep watching? The agent continues either way.',
      [
        ['Keep watching', { jobId: 'job-1', question: 2 }],
        ['Stop watching', { jobId: 'job-1', question: 2 }],
      ],
    ],
    [
      'when nobody knows whether a follow-up arrived',
      { kind: 'message_unknown', callId: 'call-1', count: 1, authorIds: ['U2'] },
      "❓ <@U2> *Couldn't confirm that 1 reply was delivered.* *Send again* may give the agent the same text twice.",
      [['Send again', { ...call, asks: 'Send it a second time?' }]],
    ],
  ])('%s', (_case, announcement, words, buttons) => {
    const labels = buttons.map(([label]) => `[${label}]`).join(' ');
    expect(said(announcement)).toBe(`${words}\n${labels}`);
    expect(buttonsOf(announcementView(announcement, aJob(), noNames))).toEqual(buttons);
  });

  test('and the card of a request that was refused without a reason says the same', () => {
    const rejected = aJob({ stage: { kind: 'rejected', message: '' } });
    expect(stateLine(rejected).mrkdwn).toBe('❌ *Not accepted* · the agent gave no reason');
  });

  test('after a message with what the agent cannot take (F5)', () => {
    const unsent = (kind: FileKind, name: string | null = null) => ({ kind, name });
    const pdf = unsent('file', 'a &lt;b&gt;.pdf');
    const more = [unsent('file', 'd.zip'), unsent('sound'), unsent('forwarded')];
    const files = [pdf, unsent('image', 'c.png'), ...more];
    expect(said({ kind: 'files_not_sent', files })).toBe(
      '📎 *Not sent:* 1 image (c.png), 1 sound, 2 files (a &lt;b&gt;.pdf, d.zip), 1 forwarded message without text. The agent takes text only.',
    );
    expect(said({ kind: 'files_not_sent', files: [unsent('image')] })).toBe(
      '📎 *Not sent:* 1 image. The agent takes text only.',
    );
    const snippets = [
      { name: 'a &amp; b.txt', problem: 'unreadable' },
      { name: 'long.txt', problem: 'too_long' },
    ] as const;
    expect(said({ kind: 'snippets_not_sent', snippets })).toBe(
      "📎 *Not sent* with the message:\na &amp; b.txt · Slack doesn't let me read it\nlong.txt · it's too long for one message to the agent",
    );
  });
});

describe('once it is decided, the message says who decided what, and offers nothing', () => {
  const settled = (announcement: Announcement, answer: OfferAnswer, by: string | null = 'U2') => {
    const about = offerOf(announcement, aJob());
    const count = about?.kind === 'send' ? about.count : undefined;
    const outcome = { answer, by, ...(count !== undefined && { count }) };
    const view = postedView(announcement, aJob(), outcome, new Map([['U2', 'Alice']]));
    expect(pressable(view)).toEqual([]);
    return view.text;
  };

  test.each<[string, Announcement, OfferAnswer, string]>([
    [
      'a job that failed',
      { kind: 'failed' },
      'started_again',
      '❌ <@U1> *Failed.* The agent gave no reason.\nAlice started it again',
    ],
    [
      'a job that is gone',
      { kind: 'vanished' },
      'started_again',
      '❌ <@U1> *The agent no longer knows this job.*\nAlice started it again',
    ],
    [
      'a request that was not accepted',
      { kind: 'create_rejected', message: 'too vague' },
      'started_again',
      '❌ <@U1> *Not accepted.* The agent says:\n“too vague”\nAlice started it again',
    ],
    [
      'a start that is unclear',
      { kind: 'create_unknown', callId: 'c' },
      'started_again',
      "❓ <@U1> *Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.\nAlice started it again",
    ],
    [
      'replies of unknown fate',
      { kind: 'message_unknown', callId: 'c', count: 2, authorIds: [] },
      'sent_again',
      "❓ *Couldn't confirm that 2 replies were delivered.*\nAlice sent them again",
    ],
    [
      'a long turn, kept',
      { kind: 'long_running', question: 1, lastedMs: 8e6 },
      'kept_watching',
      '⏳ <@U1> *Still working after 2 h 13 min.*\nAlice chose to keep watching',
    ],
    [
      'a long turn, left',
      { kind: 'long_running', question: 1, lastedMs: 21_600_000 },
      'stopped_watching',
      '⏳ <@U1> *Still working after 6 h.*\nAlice stopped watching; the agent may still be working',
    ],
    [
      'a start that turned out well',
      { kind: 'create_unknown', callId: 'c' },
      'confirmed',
      "❓ <@U1> *Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.\nThe agent confirmed it after all",
    ],
    [
      'replies that the end of a turn may not include',
      {
        kind: 'turn_ended',
        link: null,
        branch: null,
        lastedMs: null,
        replies: { count: 0, authors: [] },
        undelivered: { count: 1, authors: ['U4'] },
      },
      'sent_again',
      '✅ <@U1> <@U4> *Done, no pull request.* The agent may have found nothing to change, or published directly.\n[Reply to the agent]\n⚠️ 1 reply may not be included.\nAlice sent it again',
    ],
    [
      'a job that failed with a pull request',
      { kind: 'failed', link: { url: 'https://github.com/acme/docs/pull/14', is: 'first' } },
      'started_again',
      '❌ <@U1> *Failed.* The agent gave no reason.\n🎉 *Pull request ready:* <https://github.com/acme/docs/pull/14|acme/docs#14>\nAlice started it again',
    ],
    ['a job that has gone on', { kind: 'failed' }, 'moot', '❌ <@U1> *Failed.* The agent gave no reason.'],
  ])('%s', (_name, announcement, answer, text) => {
    expect(settled(announcement, answer)).toBe(text);
  });

  test('by somebody whose name is not known', () => {
    expect(settled({ kind: 'failed' }, 'started_again', 'U9')).toContain('Somebody started it again');
  });
});

/** What can still be pressed, besides links and the form for a reply. */
function pressable({ blocks }: ReturnType<typeof announcementView>): string[] {
  const values = JSON.stringify(blocks).match(/"action_id":"\w+"/g) ?? [];
  return values.filter((id) => !id.includes('"follow_up"') && !id.includes('"view_pull_request"'));
}

/** Each with what it does, and what is asked once more before that. */
function buttonsOf({ blocks }: ReturnType<typeof announcementView>) {
  return blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .flatMap((button) => {
      if (button.type !== 'button') return [];
      const asks = button.confirm?.title?.text;
      return [[button.text.text, { ...decodeButton(button.value ?? ''), ...(asks && { asks }) }]];
    });
}
