import type { KnownBlock } from '@slack/types';
import { expect, test } from 'vitest';
import { fixPrompt, reviewForm, reviewPrompt } from '../../../src/features/pull-requests/views.ts';
import type { PullRequestFacts, PullRequestNews } from '../../../src/jobs/pull-requests/pull-request.ts';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';
import { aJob, anAgentJob, completed, nobodyWaits, noNames } from '../../slack/views/a-job.ts';
import { text } from '../../slack/views/support/hostile.ts';
import { announcementView } from '../../slack/views/support/thread.ts';
import { fc } from '../../support/properties.ts';

const DAY_MS = 86_400_000;

const reminder = (afterMs: number | null, url = 'https://github.com/acme/docs/pull/14') =>
  ({
    kind: 'reminder',
    reminderId: 'reminder-1',
    url,
    againMs: 3 * DAY_MS,
    ...(afterMs !== null && { afterMs }),
  }) as const;

test.each<[PullRequestFacts, string]>([
  [{ state: 'open', review: 'approved', checks: 'passing' }, 'approved, ready to merge'],
  [{ state: 'open', checks: 'passing' }, 'waiting for review'],
  [{ state: 'open', checks: 'failing', review: 'approved' }, 'checks failing'],
  [{ state: 'open', review: 'changes_requested' }, 'changes requested'],
])('a reminder says why it is still open: %j is %s (P2)', (facts, why) => {
  const { url } = reminder(null);
  const job = aJob({ pullRequests: [{ url, facts, seenAtMs: 0, reminders: 1 }] });
  expect(announcementView(reminder(3 * DAY_MS), job, noNames).text).toContain(`acme/docs#14>, ${why}\n`);
});

test('a reminder of what may not be a link has none', () => {
  const { text } = announcementView(reminder(1_000, 'javascript:alert(1)'), aJob(), noNames);
  expect(text).toContain('👋 <@U1> *Open for 1 second.*\n');
});

const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;
const checks = [
  { name: 'build', url: 'https://ci.example/1' },
  { name: '*lint* <!here>', url: null },
];
const checksNews = { kind: 'checks', key: 'checks:a', names: checks } as const;
const reviewBy = (by: string, key: string, page: string | null = null) =>
  ({ kind: 'review', key, names: [{ name: by, url: page }] }) as const;
const newsView = (...news: readonly PullRequestNews[]) =>
  announcementView({ kind: 'review_news', url, news }, aJob(), noNames);
const targets = ({ blocks }: SlackMessage) =>
  blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.flatMap((one) =>
          one.type === 'button' ? (decodeButton(one.value ?? '')?.news ?? []) : [],
        )
      : [],
  );

test('gathered news has a line and a button for each, and mentions once (P5)', () => {
  const people = ['ann', 'bob', 'carol', 'dave', 'eve'];
  const view = newsView(checksNews, ...people.map((by) => reviewBy(by, `review:${by}`)));
  const [first, ...lines] = view.text.split('\n');
  expect(first).toContain('<@U1> *Checks failing*');
  expect(lines.slice(0, 5)).toEqual(people.map((by) => `👀 *Changes requested* on ${link} by ${by}.`));
  expect(view.text.match(/<@U1>/g)).toHaveLength(1);
  expect(targets(view)).toEqual(['checks:a', ...people.map((by) => `review:${by}`)]);
  expect(view.text).toContain('[Send the review by ann]');
  expect(JSON.stringify(view.blocks)).toContain('"View pull request"');
  const ids = view.blocks.flatMap((block) =>
    block.type === 'actions' ? block.elements.map((one) => ('action_id' in one ? one.action_id : '')) : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('the reply that asks for a fix names each check and its address (P5)', () => {
  expect(fixPrompt(checks.slice(0, 1))).toBe('The check “build” fails: https://ci.example/1. Please fix it.');
  expect(fixPrompt(checks)).toBe(
    'The check “build” fails: https://ci.example/1.\nThe check “*lint* <!here>” fails.\nPlease fix them.',
  );
  const long = Array.from({ length: 5 }, (_, index) => ({
    name: 'x'.repeat(100),
    url: `https://ci.example/${'y'.repeat(index * 400)}`,
  }));
  expect(fixPrompt(long).length).toBeLessThan(3_000);
  expect(fixPrompt(long)).toMatch(/Please fix them\.$/);
});

test('the card names what fails, or who requests changes, and offers the next step (P5)', () => {
  const card = (facts: PullRequestFacts, ...answered: readonly string[]) => {
    const answers = answered.map((key) => ({ key, sent: [] }));
    const seen = { url, facts: { state: 'open', ...facts }, seenAtMs: 0, reminders: 0, answers } as const;
    const agentJob = anAgentJob({ status: 'completed', prLink: url });
    const job = aJob({ stage: completed, agentJob, announcedPrLink: url, pullRequests: [seen] });
    return cardView(job, { queue: nobodyWaits, names: noNames });
  };
  const red = { checks: 'failing', failing: checksNews } as const;
  const failing = card(red);
  expect(failing.text).toContain(`⚠️ *Checks failing* · ${link} · build, \u00ad*lint*\u00ad &lt;!here&gt;\n`);
  expect(failing.text).toContain('[Ask for a fix]');
  expect(targets(failing)).toEqual(['checks:a']);
  expect(targets(card(red, 'checks:a'))).toEqual([]);
  const asked = { review: 'changes_requested', requests: [reviewBy('<@U2>', 'review:7')] } as const;
  expect(card(asked).text).toContain(`👀 *Changes requested* · ${link} · by &lt;@U2&gt;\n`);
  expect(targets(card(asked))).toEqual(['review:7']);
  expect(targets(card(asked, 'review:7'))).toEqual([]);
  const twice = { ...asked, requests: [reviewBy('dave', 'review:7'), reviewBy('carol', 'review:8')] };
  expect(card(twice).text).toContain('by carol\n');
  expect(card(twice, 'review:8').text).toContain('by dave\n');
  expect(targets(card(twice, 'review:8'))).toEqual(['review:7']);
});

test('whatever a review says, the agent reads it as a quotation, and the form can be shown (P5, E3)', () => {
  const comment = fc.record({ place: fc.option(text()), text: text() });
  const options = (blocks: readonly KnownBlock[]) =>
    blocks.flatMap((block) =>
      block.type === 'input' && block.element.type === 'checkboxes' ? block.element.options : [],
    );
  fc.assert(
    fc.property(text(), fc.array(comment, { maxLength: 60 }), (by, all) => {
      const comments = all.map((one, index) => ({ ...one, id: `${index}|version` }));
      const prompt = reviewPrompt(reviewBy(by, 'review:1'), 'acme/docs#1', comments);
      const [first, ...lines] = prompt.split(/[\n\r\u2028\u2029]+/);
      expect(first).toMatch(/^.* requested changes on acme\/docs#1:$/);
      const places = all.filter(({ place }) => place !== null);
      expect(lines.filter((line) => !line.startsWith('> ')).length).toBe(places.length);
      const data = { jobId: 'job', channelId: 'C1', userId: 'U1' };
      const { title, blocks } = reviewForm(data, reviewBy(by, 'review:1'), { comments, isComplete: false });
      expect(title.text.length).toBeLessThanOrEqual(24);
      const shown = options(blocks as KnownBlock[]);
      expect(shown).toHaveLength(Math.min(all.length, 50));
      for (const { text: words, description } of shown) {
        expect(words.text.length).toBeGreaterThan(0);
        expect(Math.max(words.text.length, description?.text.length ?? 0)).toBeLessThanOrEqual(75);
      }
      expect(JSON.stringify(blocks)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      const [heading] = blocks as KnownBlock[];
      expect(heading?.type === 'section' && heading.text?.text).not.toContain('<');
    }),
  );
});
