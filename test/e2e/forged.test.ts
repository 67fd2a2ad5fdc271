import { expect, test } from 'vitest';
import { present } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { formBody } from '../support/slack-requests.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { waitFor } from '../support/wait-for.ts';

/** What the form of *Follow up* carries, as it was made for Alice in `general`. */
interface Carried {
  readonly jobId: string;
  readonly channelId: string;
  readonly userId: string;
}

test('the form for a follow-up counts only from the person and for the channel that it was made for', async () => {
  await using program = await startProgram({ mode: 'http' });
  const { slack, api } = program;
  const card = await program.working();
  api.finish(0, { status: 'completed' });
  await slack.control.press(await program.threadMessage(card, 'Done, no pull request'), 'follow_up', alice);
  const form = await waitFor(() => slack.control.modal(alice), present, { what: 'the form' });
  const carried = JSON.parse(form?.private_metadata ?? '') as Carried;
  expect(carried).toMatchObject({ channelId: general, userId: alice });

  const submit = async (userId: string, metadata: Partial<Carried>, id: string) => {
    const { teamId } = strictApp;
    const view = {
      ...form,
      id,
      private_metadata: JSON.stringify(metadata),
      state: { values: { prompt: { prompt: { type: 'plain_text_input', value: `Forged ${id}` } } } },
    };
    const user = { id: userId, username: userId, name: userId, team_id: teamId };
    const payload = { type: 'view_submission', team: { id: teamId, domain: 'x' }, user, view };
    const { contentType, body } = formBody({
      payload: JSON.stringify({ ...payload, api_app_id: 'A1', trigger_id: id }),
    });
    return (await signedSlackOf(program).send(contentType, body)).body;
  };
  const notTheirs = 'made for somebody else or for another channel';
  expect(await submit(bob, carried, 'V1')).toContain(notTheirs);
  expect(await submit(bob, { ...carried, userId: bob, channelId: random }, 'V2')).toContain(notTheirs);
  expect(await submit(alice, { ...carried, channelId: random }, 'V3')).toContain(notTheirs);
  expect(await submit(alice, { jobId: carried.jobId }, 'V4')).toContain(notTheirs);
  await program.clock.advance(20_000);
  expect(api.jobs[0]?.prompts).toEqual(['Add a quickstart']);
  expect(await submit(alice, carried, 'V5')).toBe('');
  await program.later(() => api.jobs[0]?.prompts.at(-1), 'Forged V5', 'the follow-up');
});

test('a button of a job works only in the channel of the job, whatever value is sent', async () => {
  await using program = await startProgram({ mode: 'http' });
  const { api } = program;
  const root = await program.working();
  api.finish(0, { status: 'failed' });
  const refused = await program.threadMessage(root, '*Failed.*');
  const press = (channelId: string) => {
    const { blocks, ts } = refused;
    const [button] = (blocks ?? []).flatMap(({ block_id = '', elements = [] }) =>
      elements.flatMap(({ action_id, value }) =>
        action_id === 'start_again' ? { actionId: action_id, blockId: block_id, value: value ?? '' } : [],
      ),
    );
    if (button === undefined) throw new Error('there is no button');
    return signedSlackOf(program).sendAction({ channelId, userId: alice, message: { ts }, ...button });
  };
  expect((await press(random)).status).toBe(200);
  await program.clock.advance(5_000);
  expect(api.counts.create).toBe(1);
  expect((await press(general)).status).toBe(200);
  await expect.poll(() => api.counts.create, { message: 'the job to run again' }).toBe(2);
});
