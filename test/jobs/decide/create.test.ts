import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, MINUTE_MS, request, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aVanishedJob, aWorkingJob } from '../support/stages.ts';
import { World } from '../support/world.ts';

describe('the agent takes the prompt', () => {
  test('the thread says that the agent works, and the poller watches', () => {
    const world = aWorkingJob();
    expect(world.news).toEqual(['started']);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, agentJob: { id: 'agent-1' } });
    expect(world.seconds(world.tasks.get('check_job'))).toBe(5);
  });

  test.each([
    ['right below its card, which says it, nothing is said', [], []],
    ['below other news, the thread says so', [failures.unauthorized], ['recovered', 'started']],
  ])('in the thread of a message, %s', (_, before, news) => {
    const world = new World({}, { ...request, thread: { threadTs: '0.500000', lastTs: '0.500000' } });
    world.cardPosted();
    for (const failure of before) world.createFails(failure);
    world.created();
    expect(world.news.slice(before.length)).toEqual(news);
  });

  test('delivered twice, it is the same job', () => {
    const world = aWorkingJob();
    const again = world.apply({
      type: 'job_created',
      callId: 'another',
      agentJob: anAgentJob({ id: 'agent-2' }),
    });
    expect(again.calls).toEqual([]);
    expect(world.job.agentJob?.id).toBe('agent-1');
  });

  test('a job that is over already is announced as over', () => {
    const world = aJobBeingCreated();
    world.created({ status: 'completed' });
    expect(world.news).toEqual(['finished, no pull request']);
  });
});

describe('the agent surely did not get the prompt', () => {
  test('the same call goes again, and the card knows when', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.unreachable);
    expect(world.open('create_job')).toHaveLength(1);
    expect(world.seconds(world.job.trouble?.retryAtMs)).toBe(5);
    expect(world.news).toEqual([]);
  });

  test('a rate limit of up to ten minutes is for the card alone; of a longer one the thread is told until when', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.rateLimited);
    expect(world.seconds(world.job.trouble?.retryAtMs)).toBe(600);
    expect(world.news).toEqual([]);
    world.nowMs += SECOND_MS;
    world.createFails(failures.rateLimited);
    world.createFails(failures.rateLimited);
    expect(world.news).toEqual(['rate_limited until 601 s']);
  });

  test('an outage is told to the thread once the request has waited for two minutes', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.unreachable);
    world.nowMs += 2 * MINUTE_MS - 1;
    world.createFails(failures.unreachable);
    expect(world.news).toEqual([]);
    world.nowMs += 1;
    world.createFails(failures.unreachable);
    world.createFails(failures.unreachable);
    expect(world.news).toEqual(['unreachable until 140 s']);
    world.created();
    expect(world.news.slice(1)).toEqual(['recovered', 'started']);
  });

  test.each([
    ['a refused key', failures.unauthorized],
    ['an unknown project', failures.notFound],
  ])('%s is announced at once, and the request is kept', (_name, failure) => {
    const world = aJobBeingCreated();
    world.createFails(failure);
    world.createFails(failure);
    expect(world.news).toEqual(['needs_admin until 5 s']);
    world.created();
    expect(world.news).toEqual(['needs_admin until 5 s', 'recovered', 'started']);
  });
});

describe('the agent refuses the prompt', () => {
  test('the thread says why, once, and Start again asks again', () => {
    const world = aJobBeingCreated();
    const callId = world.open('create_job')[0]?.id ?? '';
    world.createFails(failures.rejected);
    const again = world.apply({ type: 'create_failed', callId, failure: failures.rejected });
    expect(again.calls).toEqual([]);
    expect(world.news).toEqual(['create rejected: prompt is too vague']);

    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.created();
    expect(world.news.at(-1)).toBe('started');
  });

  test('words of the program about an answer are no words of the agent', () => {
    const world = aJobBeingCreated();
    const { words: _none, ...silent } = { ...failures.rejected, message: 'answered with status 400' };
    world.createFails(silent);
    expect(world.news).toEqual(['create rejected: ']);
  });

  test('after an outage, its end is announced', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.unreachable);
    world.nowMs += 2 * MINUTE_MS;
    world.createFails(failures.unreachable);
    world.createFails(failures.rejected);
    expect(world.news).toEqual([
      'unreachable until 130 s',
      'recovered',
      'create rejected: prompt is too vague',
    ]);
    expect(world.job.trouble).toBeNull();
  });
});

describe('nobody knows whether the agent got the prompt', () => {
  test('the thread says so, and no other call is made', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.timeout);
    world.advance(60 * MINUTE_MS);
    expect(world.news).toEqual(['create_unknown']);
    expect(world.open('create_job')).toEqual([]);
    expect(world.job.stage).toMatchObject({ kind: 'create_unknown', callId: world.buttonCallId });
  });

  test('Start again makes one call, however often it is pressed', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.timeout);
    const callId = world.buttonCallId;
    world.apply({ type: 'start_again_pressed', callId });
    world.apply({ type: 'start_again_pressed', callId });
    expect(world.open('create_job')).toHaveLength(1);

    world.created();
    world.apply({ type: 'start_again_pressed', callId });
    expect(world.job.creates).toBe(2);
  });

  test('the button of an earlier doubt does not answer a later one', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.timeout);
    const callId = world.buttonCallId;
    world.apply({ type: 'start_again_pressed', callId });
    world.createFails(failures.serverError);
    world.apply({ type: 'start_again_pressed', callId });
    expect(world.open('create_job')).toEqual([]);
    world.apply({ type: 'start_again_pressed', callId: world.buttonCallId });
    expect(world.open('create_job')).toHaveLength(1);
  });
});

describe('Start again', () => {
  test('after a failure starts a new agent job in the same thread', () => {
    const world = anEndedJob({ status: 'failed' });
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    expect(world.open('create_job').map(({ request }) => request.prompt)).toEqual([
      'Document the rate limits',
    ]);
    world.created({ id: 'agent-2' });
    expect(world.news).toEqual(['started', 'failed', 'started']);
    expect(world.job).toMatchObject({ agentJob: { id: 'agent-2' }, threadTs: '1.000000' });
  });

  test('works for a job that vanished', () => {
    const world = aVanishedJob();
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    expect(world.open('create_job')).toHaveLength(1);
  });

  test('does nothing when the button is of an ending before the last start', () => {
    const world = aJobBeingCreated();
    world.createFails(failures.rejected);
    const creates = world.job.creates;
    world.apply({ type: 'start_again_pressed', creates });
    world.createFails(failures.rejected);
    expect(world.apply({ type: 'start_again_pressed', creates }).calls).toEqual([]);
  });

  test('does nothing while the agent works, or when it has finished', () => {
    for (const world of [aWorkingJob(), anEndedJob(), anEndedJob({ status: 'archived' })]) {
      expect(world.apply({ type: 'start_again_pressed', creates: world.job.creates }).calls).toEqual([]);
    }
  });

  test('the answers about the job before do not count any more', () => {
    const world = anEndedJob({ status: 'failed' });
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.created({ id: 'agent-2' });
    world.apply({ type: 'job_checked', agentJob: anAgentJob({ status: 'failed' }) });
    world.apply({ type: 'check_failed', agentJobId: 'agent-1', failure: failures.notFound });
    expect(world.job.stage.kind).toBe('working');
    expect(world.news.at(-1)).toBe('started');
  });

  test('the new job, too, may not be readable right after its creation', () => {
    const world = anEndedJob({ status: 'failed' });
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.created({ id: 'agent-2' });
    world.check(failures.notFound);
    expect(world.job.stage.kind).toBe('working');
  });

  test('a reply that went to the job before counts as sent, but is no turn of the new one', () => {
    const world = anEndedJob({ status: 'failed' });
    world.reply('Try another page');
    world.advance(4 * SECOND_MS);
    world.apply({ type: 'start_again_pressed', creates: world.job.creates });
    world.accepted();
    expect(world.states).toEqual(['sent']);
    expect(world.job).toMatchObject({ stage: { kind: 'creating' }, turn: 2 });
  });
});

describe('a failure that is reported when no create call is under way', () => {
  test('changes nothing', () => {
    const world = aWorkingJob();
    const late = world.apply({ type: 'create_failed', callId: 'id-3', failure: failures.timeout });
    expect(late.calls).toEqual([]);
    expect(world.job.stage.kind).toBe('working');
  });
});

describe('the answer to a create call comes after it was called unclear', () => {
  const anUnclearJob = () => {
    const world = aJobBeingCreated();
    const callId = world.open('create_job')[0]?.id ?? '';
    world.createFails(failures.timeout);
    return { world, found: { type: 'job_found', callId, agentJob: anAgentJob() } as const };
  };

  test('the thread goes on, and Start again comes too late', () => {
    const { world, found } = anUnclearJob();
    world.apply(found);
    expect(world.news).toEqual(['create_unknown', 'started']);
    expect(world.apply({ type: 'start_again_pressed', callId: found.callId }).calls).toEqual([]);
    expect(world.job.agentJob?.id).toBe('agent-1');
  });

  test('but once Start again was pressed, the other job counts', () => {
    const { world, found } = anUnclearJob();
    world.apply({ type: 'start_again_pressed', callId: found.callId });
    expect(world.apply(found)).toMatchObject({ calls: [], job: { stage: { kind: 'creating' } } });
  });
});
