import { describe, expect, test } from 'vitest';
import { type Manner, openQuestion, requestJob } from '../../../src/jobs/decide/open.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import { parseProjectPrefix } from '../../../src/jobs/requests/command.ts';
import { aJob } from '../../support/a-job.ts';
import { policy, request } from '../support/builders.ts';
import { decide } from '../support/decide.ts';

const context = (nowMs: number) => ({ nowMs, jitter: 0.5, newId: () => 'job-2', policy });
const ask = (recent: readonly Job[], facts: Partial<typeof request> = {}, manner: Partial<Manner> = {}) =>
  requestJob(
    { ...request, ...facts },
    recent,
    { isAnswered: true, isDoubtful: false, ...manner },
    context(5_000),
  );
const thread = { threadTs: '5.000000', lastTs: '7.000000' };

describe('the same request again', () => {
  test('waits for an answer, and nothing is posted', () => {
    const { job, calls, tasks } = ask([aJob({})], { thread });
    expect(job).toMatchObject({
      stage: { kind: 'awaiting_confirmation', sameAsJobId: 'job-1', thread },
      threadTs: null,
    });
    expect([...calls, ...tasks]).toEqual([]);
  });

  test('is asked about by a private message, if nothing else does', () => {
    const { calls } = ask([aJob({})], {}, { isAnswered: false });
    expect(calls.map((call) => call.request)).toEqual([
      { kind: 'notify_requester', reason: '', about: 'asked_before' },
    ]);
  });

  test('is a new job in other words, about other messages, or for another project', () => {
    expect(ask([aJob({})], { prompt: 'Other words' }).job.stage.kind).toBe('opening');
    expect(ask([aJob({})], { projectId: 'other' }).job.stage.kind).toBe('opening');
    expect(ask([aJob({})], { context: 'Other messages' }).job.stage.kind).toBe('opening');
    expect(ask([]).job.stage.kind).toBe('opening');
  });

  test.each<Stage>([
    { kind: 'card_failed', reason: 'not_in_channel', thread: null },
    { kind: 'awaiting_confirmation', sameAsJobId: 'job-0', thread: null },
    { kind: 'rejected', message: 'no' },
    { kind: 'ended', status: 'failed', sinceMs: 0 },
    { kind: 'ended', status: 'vanished', sinceMs: 0 },
  ])('is a new job if the one before came to nothing ($kind)', (stage) => {
    expect(ask([aJob({ stage })]).job.stage.kind).toBe('opening');
  });

  test('leaves one question open', () => {
    const { job } = ask([aJob({})]);
    expect(openQuestion(request, [job, aJob({})])).toBe(job);
    expect(openQuestion({ ...request, prompt: 'Other words' }, [job])).toBeNull();
  });
});

describe('what is hardly a request', () => {
  const manner = { isDoubtful: true };

  test('waits for an answer like the same request again, which is asked about instead', () => {
    const { job, calls, tasks } = ask([], { thread }, manner);
    expect(job.stage).toEqual({ kind: 'awaiting_confirmation', sameAsJobId: null, thread });
    expect([...calls, ...tasks]).toEqual([]);
    expect(ask([aJob({})], {}, manner).job.stage).toMatchObject({ sameAsJobId: 'job-1' });
    expect(ask([], {}, { ...manner, isAnswered: false }).calls).toHaveLength(1);
  });

  test('starts by one press, however often it is pressed', () => {
    const press = { type: 'start_another_pressed', responseUrl: null } as const;
    const first = decide({ job: ask([], {}, manner).job, followUps: [] }, press, context(9_000));
    expect(first.calls.map((call) => call.request.kind)).toEqual(['post_card']);
    expect(decide({ job: first.job, followUps: [] }, press, context(10_000)).calls).toEqual([]);
  });
});

describe('"Start another"', () => {
  const press = { type: 'start_another_pressed', responseUrl: 'https://hooks.example/2' } as const;

  test('opens the job, in its thread, once', () => {
    const { job } = ask([aJob({})], { thread });
    const first = decide({ job, followUps: [] }, press, context(9_000));
    expect(first.calls.map((call) => call.request.kind)).toEqual(['post_card']);
    expect(first.job).toMatchObject({
      stage: { kind: 'opening' },
      requestedAtMs: 9_000,
      responseUrl: 'https://hooks.example/2',
      threadTs: '5.000000',
      repliesAfterTs: '9.000000',
    });
    const second = decide({ job: first.job, followUps: [] }, press, context(10_000));
    expect(second.calls).toEqual([]);
    expect(second.job).toEqual(first.job);
  });

  test.each([
    ['slow', '12.000000', '12.000000'],
    ['fast', '8.000000', '8.000000'],
    ['fast, and its preview was later', '6.000000', '7.000000'],
  ])('hears what is written after the press by Slack’s clock: ours is %s', (_, pressedTs, repliesAfterTs) => {
    const { job } = ask([aJob({})], { thread });
    const { job: opened } = decide({ job, followUps: [] }, { ...press, pressedTs }, context(9_000));
    expect(opened).toMatchObject({ repliesAfterTs });
  });
});

test('a request for an unknown project keeps its words once', () => {
  const handbook = { id: 'p1', name: 'handbook' };
  const project = { ...handbook, noticeChannels: [] };
  const { unknownProject } = parseProjectPrefix('project=hand Fix it', [project], project);
  const { job } = ask([], {}, { unknownProject });
  const named = { kind: 'unknown_project', name: 'hand', projects: [handbook] };
  expect(job.stage).toMatchObject({ kind: 'awaiting_confirmation', sameAsJobId: null });
  expect(job.stage).toHaveProperty('unknownProject', named);
});
