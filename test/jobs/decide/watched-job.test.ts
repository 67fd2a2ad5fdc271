import { describe, expect, test } from 'vitest';
import { aFailure, request } from '../support/builders.ts';
import { checked, goesOut, happens, live, type Step, says } from '../support/story.ts';
import { World } from '../support/world.ts';

const link = 'https://example.com/pull/1';
const missed = checked(aFailure({ reason: 'not_found', status: 404, message: 'unknown job' }));

describe('a job that is attached to an agent job (W5)', () => {
  function attached(...steps: readonly Step[]): World {
    const world = new World({}, { ...request, watchedAgentJobId: 'agent-1' });
    world.cardPosted();
    return live(world, ...steps);
  }
  const told = (world: World) => world.told.map(({ kind }) => kind);

  test('is looked at at once, and nothing is created (W5)', () => {
    const world = attached();
    expect(world.open('create_job')).toEqual([]);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, agentJob: { id: 'agent-1' }, creates: 0 });
    expect(world.tasks.get('check_job')).toBe(world.job.requestedAtMs);
  });

  test('announces what is there: a job that has ended, with its pull request (W5)', () => {
    expect(told(attached(checked({ status: 'completed', prLink: link })))).toEqual(['turn_ended']);
  });

  test('takes follow-ups (W5)', () => {
    const world = attached(checked({}), says('Shorter, please'), goesOut);
    expect(world.open('send_message')).toHaveLength(1);
  });

  test('says at the first look that the API knows no such job (W5)', () => {
    const world = attached(missed);
    expect(told(world)).toEqual(['vanished']);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'vanished' });
  });

  test('that was there before is only missed for a while (W5)', () => {
    expect(attached(checked({}), missed).job.stage.kind).toBe('working');
  });

  test('cannot be run again: its prompt is not known (W5)', () => {
    const world = attached(
      checked({ status: 'failed' }),
      happens({ type: 'start_again_pressed', creates: 0 }),
    );
    expect(world.open('create_job')).toEqual([]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'failed' });
  });
});
