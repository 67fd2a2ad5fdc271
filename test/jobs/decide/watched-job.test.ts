import { describe, expect, test } from 'vitest';
import { aFailure, anAgentJob, request } from '../support/builders.ts';
import { World } from '../support/world.ts';

const notFound = aFailure({ reason: 'not_found', status: 404, message: 'unknown job' });
const attached = () => new World({}, { ...request, watchedAgentJobId: 'agent-1' });

describe('a job that is attached to an agent job', () => {
  test('is looked at at once, and nothing is created (W5)', () => {
    const world = attached();
    world.cardPosted();
    expect(world.open('create_job')).toEqual([]);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, agentJob: { id: 'agent-1' }, creates: 0 });
    expect(world.tasks.get('check_job')).toBe(world.job.requestedAtMs);
  });

  test('announces what is there: a job that has ended, with its pull request (W5)', () => {
    const world = attached();
    world.cardPosted();
    const agentJob = anAgentJob({ status: 'completed', prLink: 'https://example.com/pull/1' });
    world.apply({ type: 'job_checked', agentJob });
    expect(world.told.map(({ kind }) => kind)).toEqual(['turn_ended']);
  });

  test('takes follow-ups (W5)', () => {
    const world = attached();
    world.cardPosted();
    world.apply({ type: 'job_checked', agentJob: anAgentJob() });
    world.reply('Shorter, please');
    world.advance(4_000);
    expect(world.open('send_message')).toHaveLength(1);
  });

  test('says at the first look that the API knows no such job (W5)', () => {
    const world = attached();
    world.cardPosted();
    world.apply({ type: 'check_failed', agentJobId: 'agent-1', failure: notFound });
    expect(world.told.map(({ kind }) => kind)).toEqual(['vanished']);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'vanished' });
  });

  test('that was there before is only missed for a while (W5)', () => {
    const world = attached();
    world.cardPosted();
    world.apply({ type: 'job_checked', agentJob: anAgentJob() });
    world.apply({ type: 'check_failed', agentJobId: 'agent-1', failure: notFound });
    expect(world.job.stage.kind).toBe('working');
  });

  test('cannot be run again: its prompt is not known (W5)', () => {
    const world = attached();
    world.cardPosted();
    world.apply({ type: 'job_checked', agentJob: anAgentJob({ status: 'failed' }) });
    const { calls } = world.apply({ type: 'start_again_pressed', creates: 0 });
    expect(calls).toEqual([]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'failed' });
  });
});
