import type { LookMemory } from '../../src/codehost/look.ts';

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
  const memory: LookMemory = {
    details: { facts, readAtMs: 0, commit, answers: { '': tagged({ ...facts, commit }) } },
    checks: {
      facts: { checks: 'passing' },
      readAtMs: 0,
      commit,
      answers: { [`/commits/${commit}/check-runs`]: tagged({ total_count: 4, check_runs: [] }) },
    },
    review: {
      facts: { review: 'approved' },
      readAtMs: 0,
      answers: { '/reviews': tagged([{ state: 'APPROVED', commit_id: commit, user: { login: 'carol' } }]) },
    },
    preview: { facts: {}, readAtMs: 0, commit, answers: {} },
  };
  return { facts, memory };
}
