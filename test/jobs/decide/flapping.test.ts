import { describe, expect, test } from 'vitest';
import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import { NEWS_MAX, NEWS_WINDOW_MS } from '../../../src/jobs/decide/decide.ts';
import { emptyQueue } from '../../../src/jobs/follow-ups/follow-up.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import { anAgentJob, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob, followUp } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const A = 'https://github.com/acme/docs/pull/7001';
const B = 'https://github.com/acme/docs/pull/7002';
const completed = (prLink: string | null = A) => anAgentJob({ status: 'completed', prLink });
const says = (status: string, prLink: string | null = null) => anAgentJob({ status, prLink });

/** Each read has the next answer, again and again. Returns how often the job was read. */
function flap(world: World, answers: readonly AgentJob[], ms: number): number {
  let reads = 0;
  const untilMs = world.nowMs + ms;
  while (world.nowMs < untilMs) {
    world.answer = answers[reads % answers.length] ?? completed();
    const { length } = world.events;
    world.advance(SECOND_MS);
    if (world.events.slice(length).some(({ type }) => type.startsWith('check') || type === 'job_checked'))
      reads += 1;
  }
  return reads;
}

/** What the thread was told after "On it". */
const newsOf = ({ news }: World) => news.slice(1);
const notices = ({ calls }: World) => calls.filter(({ request }) => request.kind === 'notify_channel');
const card = ({ job }: World) =>
  cardView(job, {
    queue: emptyQueue,
    names: new Map(),
  }).text;

describe('an answer that comes and goes is told once (W2, W3)', () => {
  test.each([
    [
      'a pull request with and without a slash',
      [completed(A), completed(`${A}/`)],
      [`finished, first pull request ${A}`],
    ],
    [
      'a repository in large and small letters',
      [
        completed(A),
        completed('https://github.com/Acme/Docs/pull/7001'),
        completed('HTTP://GitHub.com/acme/docs/pull/7001/files'),
      ],
      [`finished, first pull request ${A}`],
    ],
    [
      'a pull request at two names of its host, with a doubled slash, and with an escaped letter',
      [
        completed(A),
        completed('https://www.github.com/acme/docs/pull/7001'),
        completed('https://github.com./acme//docs/pull/7001'),
        completed('https://github.com/acme/d%6Fcs/pull/7001'),
      ],
      [`finished, first pull request ${A}`],
    ],
    [
      'a pull request at a host that no setting names',
      [
        completed('https://git.example/acme/docs/pulls/7'),
        completed('https://git.example/acme/docs/pulls/7/files?whitespace=all'),
        completed('http://git.example/Acme/docs/pulls/7#issuecomment-1'),
      ],
      ['finished, first pull request https://git.example/acme/docs/pulls/7'],
    ],
    [
      'completed and failed',
      [completed(), says('failed', A)],
      [`finished, first pull request ${A}`, 'failed'],
    ],
    [
      'completed and archived',
      [completed(), says('archived', A)],
      [`finished, first pull request ${A}`, 'archived'],
    ],
    [
      'two pull requests',
      [completed(A), completed(B)],
      [`finished, first pull request ${A}`, `changed pull request ${B}`],
    ],
    ['two statuses that nobody knows', [says('queued'), says('running')], []],
    ['a known and an unknown status', [says('active'), says('queued')], []],
    ['completed and at work', [completed(), says('active')], [`finished, first pull request ${A}`]],
    ['completed and unknown', [completed(), says('queued')], [`finished, first pull request ${A}`]],
    [
      'with and without its pull request',
      [completed(A), completed(null)],
      [`finished, first pull request ${A}`],
    ],
  ])('%s', (_name, answers, news) => {
    const world = aWorkingJob();
    flap(world, answers, HOUR_MS);
    expect(newsOf(world)).toEqual(news);
    expect(notices(world).map(({ request }) => 'url' in request && request.url)).toEqual(
      news.flatMap((line) => line.match(/https:.*/) ?? []),
    );
  });

  test('and the looks at a job that has ended get rarer all the same', () => {
    const steady = aWorkingJob();
    const reads = flap(steady, [completed()], HOUR_MS);
    for (const answers of [
      [completed(A), completed(`${A}/`)],
      [completed(), says('failed', A)],
      [completed(A), completed(B)],
    ]) {
      expect(flap(aWorkingJob(), answers, HOUR_MS)).toBeLessThanOrEqual(2 * reads);
    }
  });

  test('the card shows the last one', () => {
    const world = aWorkingJob();
    flap(world, [completed(), says('failed', A)], HOUR_MS);
    for (const [answer, words] of [
      [says('failed', A), '❌ *Failed*'],
      [completed(), '✅ *Pull request ready*'],
      [says('failed', A), '❌ *Failed*'],
    ] as const) {
      world.check(answer);
      expect(card(world)).toContain(words);
    }
  });
});

describe('what is news all the same', () => {
  test('a later turn with the same pull request, spelled differently: it is updated, once', () => {
    const world = aWorkingJob();
    flap(world, [completed()], MINUTE_MS);
    followUp(world);
    flap(world, [says('active')], MINUTE_MS);
    flap(world, [completed(`${A}/`), completed(A)], HOUR_MS);
    expect(newsOf(world)).toEqual([`finished, first pull request ${A}`, 'finished, same pull request']);
  });

  test('another pull request in a later turn, and then the first one again', () => {
    const world = aWorkingJob();
    flap(world, [completed(A)], MINUTE_MS);
    for (const link of [B, A]) {
      followUp(world);
      flap(world, [says('active')], MINUTE_MS);
      flap(world, [completed(link)], HOUR_MS);
    }
    expect(newsOf(world)).toEqual([
      `finished, first pull request ${A}`,
      `finished, changed pull request ${B}`,
      `finished, changed pull request ${A}`,
    ]);
    expect(world.job.announcedPrLink).toBe(A);
    expect(notices(world)).toHaveLength(2);
  });

  test('a failure in each of two turns', () => {
    const world = aWorkingJob();
    flap(world, [says('failed'), completed()], HOUR_MS);
    followUp(world);
    flap(world, [says('active')], MINUTE_MS);
    flap(world, [says('failed')], HOUR_MS);
    expect(newsOf(world)).toEqual(['failed', `finished, first pull request ${A}`, 'failed']);
  });

  test('somebody else continues the job, twice in a day', () => {
    const world = aWorkingJob();
    flap(world, [completed()], HOUR_MS);
    for (const _time of [1, 2]) {
      flap(world, [says('active')], HOUR_MS);
      flap(world, [completed()], 2 * HOUR_MS);
    }
    expect(newsOf(world).slice(1)).toEqual([
      'continued',
      'finished, same pull request',
      'continued',
      'finished, same pull request',
    ]);
  });
});

describe('an agent that keeps changing its answer', () => {
  let number = 0;
  const another = () => {
    number += 1;
    return completed(`https://github.com/acme/docs/pull/${number}`);
  };
  const everNew = () => Array.from({ length: 2_000 }, another);

  test('is told to do so once, and the card says until when nobody looks', () => {
    const world = aWorkingJob();
    flap(world, everNew(), MINUTE_MS);
    expect(newsOf(world)).toHaveLength(NEWS_MAX + 1);
    expect(world.told.at(-1)).toEqual({ kind: 'keeps_changing', pauseMs: NEWS_WINDOW_MS });
    expect(card(world)).toContain('⚠️ *The agent keeps changing its answer* · ');
    expect(flap(world, everNew(), 8 * MINUTE_MS)).toBe(0);
  });

  test('is looked at again after the pause: what it says then is told, and the card is right', () => {
    const world = aWorkingJob();
    flap(world, everNew(), MINUTE_MS);
    flap(world, [completed(B)], HOUR_MS);
    expect(world.news.at(-1)).toBe(`changed pull request ${B}`);
    expect(card(world)).toContain(
      '✅ *Pull request ready* · <https://github.com/acme/docs/pull/7002|acme/docs#7002>',
    );
  });

  test('pauses longer and longer, to an hour', () => {
    const world = aWorkingJob();
    flap(world, everNew(), 6 * HOUR_MS);
    const pauses = world.told.flatMap((one) =>
      one.kind === 'keeps_changing' ? [one.pauseMs / MINUTE_MS] : [],
    );
    expect(pauses.slice(0, 5)).toEqual([10, 20, 40, 60, 60]);
  });

  test('is listened to again at once when a person replies', () => {
    const world = aWorkingJob();
    flap(world, everNew(), MINUTE_MS);
    followUp(world);
    expect(world.job.recentNews).toBeNull();
    flap(world, [says('active')], MINUTE_MS);
    flap(world, [completed(B)], MINUTE_MS);
    expect(world.news.at(-1)).toBe(`finished, changed pull request ${B}`);
    expect(card(world)).toContain('acme/docs#7002');
  });

  test('is looked at again at once when a person acts', () => {
    const world = aWorkingJob();
    flap(world, everNew(), MINUTE_MS);
    world.apply({ type: 'resend_pressed', callId: null });
    expect(flap(world, [completed(B)], SECOND_MS)).toBe(0);
    world.reply('one more thing');
    expect(flap(world, [completed(B)], SECOND_MS)).toBe(1);
    expect(world.news.at(-1)).toBe(`changed pull request ${B}`);
  });
});
