import { expect, test } from 'vitest';
import { z } from 'zod';
import { factsOf, lookingAt, TOKEN } from '../features/pull-requests/hosts.ts';

/*
 * GitLab's description of its API has megabytes, and says little about what fields hold. These are the shapes that its
 * documentation shows: https://docs.gitlab.com/api/merge_requests/, …/merge_request_approvals/, …/deployments/, …/notes/
 */

const hash = z.string().regex(/^[0-9a-f]{40}$/);
const time = z.iso.datetime();
const user = z.object({
  id: z.int(),
  name: z.string(),
  username: z.string(),
  state: z.string(),
  avatar_url: z.string().nullable(),
  web_url: z.string(),
});

const SHAPES: readonly (readonly [RegExp, z.ZodType])[] = [
  [
    /merge_requests\/\d+$/,
    z.object({
      id: z.int(),
      iid: z.int(),
      project_id: z.int(),
      title: z.string(),
      state: z.enum(['opened', 'closed', 'locked', 'merged']),
      draft: z.boolean(),
      created_at: time,
      updated_at: time,
      merged_by: user.nullable(),
      merge_user: user.nullable(),
      merged_at: time.nullable(),
      closed_by: user.nullable(),
      closed_at: time.nullable(),
      sha: hash,
      changes_count: z.string().regex(/^\d+\+?$/),
      detailed_merge_status: z.string(),
      web_url: z.string(),
    }),
  ],
  [
    /pipelines$/,
    z.array(
      z.object({
        id: z.int(),
        iid: z.int(),
        project_id: z.int(),
        sha: hash,
        ref: z.string(),
        status: z.enum([
          'created',
          'waiting_for_resource',
          'preparing',
          'pending',
          'running',
          'success',
          'failed',
          'canceled',
          'skipped',
          'manual',
          'scheduled',
        ]),
        web_url: z.string(),
      }),
    ),
  ],
  [
    /approvals$/,
    z.object({
      id: z.int(),
      iid: z.int(),
      approvals_required: z.int().nullable(),
      approvals_left: z.int().nullable(),
      approved_by: z.array(z.object({ user, approved_at: time })),
    }),
  ],
  [
    /reviewers$/,
    z.array(
      z.object({
        user,
        state: z.enum([
          'unreviewed',
          'review_started',
          'reviewed',
          'requested_changes',
          'approved',
          'unapproved',
        ]),
        created_at: time,
      }),
    ),
  ],
  [
    /deployments$/,
    z.array(
      z.object({
        id: z.int(),
        iid: z.int(),
        ref: z.string(),
        sha: hash,
        status: z.enum(['created', 'running', 'success', 'failed', 'canceled', 'blocked']),
        created_at: time,
        user,
        environment: z.object({ id: z.int(), name: z.string(), external_url: z.string() }),
      }),
    ),
  ],
  [
    /notes$/,
    z.array(
      z.object({
        id: z.int(),
        body: z.string(),
        author: user,
        created_at: time,
        system: z.boolean(),
        noteable_type: z.literal('MergeRequest'),
      }),
    ),
  ],
];

test('the stand-in answers all that the program asks as the documentation of GitLab shows', async () => {
  await using at = await lookingAt('gitlab');
  const pull = at.host.open({ repository: 'group/docs', size: { files: 10_000, added: 1, removed: 1 } });
  pull.check('build', 'success');
  pull.review('alice', 'APPROVED');
  pull.review('bob', 'COMMENTED');
  pull.comment('alice', 'Looks good');
  pull.deploy('https://docs.example/', { isProduction: true });
  await factsOf(at.look(pull));
  const missing = new Set(SHAPES.map(([path]) => path));
  const check = async () => {
    for (const { path } of [...at.host.requests]) {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const answer = await (await fetch(`${at.host.webUrl}${path}`, { headers })).json();
      const [shape, schema] = SHAPES.find(([shape]) => shape.test(path.replace(/\?.*/, ''))) ?? [];
      expect([path, schema?.safeParse(answer).error?.issues]).toEqual([path, undefined]);
      if (shape !== undefined) missing.delete(shape);
    }
  };
  await check();
  expect([...missing]).toEqual([]);
  pull.merge('alice');
  await check();
  pull.reopen();
  pull.close('alice');
  await check();
});
