import type { CheckMemory } from '../../src/features/pull-requests/code-hosts.ts';

const commit = 'a'.repeat(40);
const tagged = (body: object) => ({ etag: `W/"${'e'.repeat(64)}"`, body });
const times = { openedAtMs: 0, updatedAtMs: 86_400_000, endedAtMs: 86_400_000 };
const size = { files: 3, lines: { added: 42, removed: 7 } };
const facts = {
  title: 'Say how webhooks are signed',
  state: 'merged',
  endedBy: 'bob',
  ...times,
  size,
} as const;

/** What the last look at a pull request leaves in the store. */
export function aMergedLook() {
  const memory: CheckMemory = {
    version: 2,
    commit,
    readings: {
      checks: { facts: { checks: 'passing' }, lacks: [] },
      review: { facts: { review: 'approved' }, lacks: [] },
      preview: { facts: {}, lacks: [] },
    },
    responses: {
      '': tagged({ ...facts, commit }),
      [`/commits/${commit}/check-runs`]: tagged({ total_count: 4, check_runs: [] }),
      '/reviews': tagged([{ state: 'APPROVED', commit_id: commit, user: { login: 'carol' } }]),
    },
  };
  return { facts, memory };
}
