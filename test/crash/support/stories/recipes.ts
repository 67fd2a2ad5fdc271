import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { alice, general } from '../../../support/local-slack.ts';
import { signedHeaders } from '../../../support/signed-webhook.ts';
import { strictApp } from '../../../support/strict-slack/ids.ts';
import { notices } from '../outside.ts';
import { AGAIN_AFTER_MS, attemptIn, type Stage } from '../stage.ts';
import { oneThread, PROMPT, settings } from './expected.ts';
import type { StrictStory } from './strict.ts';

const fileOf = (name: string) => fileURLToPath(new URL(`./${name}.yml`, import.meta.url));
const YEAR_MS = 366 * 86_400_000;
const yearly = { cron: '0 0 1 1 *', zone: 'UTC' };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const called = { ...settings, DOCS_AGENT_CONFIG: fileOf('called'), HOOK_SECRET: SECRET };

const untilDone = async (stage: Stage) => {
  const card = await stage.card(PROMPT);
  await stage.threadMessage(card, 'On it');
  await stage.complete(card);
  return oneThread({ posts: ['On it', 'Done'] });
};

/** Recipes and the digest. */
export const recipeStories = {
  /** Moments of a recipe and of a digest have passed while the program was down. */
  schedules: {
    settings: { ...settings, DOCS_AGENT_CONFIG: fileOf('recipes') },
    prepare: (store) =>
      store.transaction(async (tx) => {
        for (const name of ['yearly-review', '(digest)']) {
          await tx.schedules.follow({ teamId: strictApp.teamId, name }, yearly, Date.now() - YEAR_MS);
        }
      }),
    playStrictly: async (stage) => {
      const expected = await untilDone(stage);
      await stage.seen(notices, '*docs-agent* ·');
      return { ...expected, posted: ['*docs-agent* ·'] };
    },
  },
  /** A recipe is started by its webhook; the sender tries until it has an answer, which stays the same. */
  webhook: {
    settings: called,
    playStrictly: async (stage) => {
      const answers = new Set<string>();
      const call = async () => {
        const body = '{}';
        const at = new Date();
        const headers = signedHeaders(SECRET, 'release-2.1', at, body);
        const address = `http://127.0.0.1:${stage.lives.port()}/hooks/quickstart`;
        const response = await fetch(address, { method: 'POST', headers, body });
        answers.add(`${response.status} ${await response.text()}`);
      };
      const attempt = () =>
        call().then(
          () => ({ acknowledged: true }),
          () => ({ acknowledged: false }),
        );
      const insist = async () => {
        while (!(await attemptIn(stage.lives, attempt))) await sleep(AGAIN_AFTER_MS);
      };
      await insist();
      const expected = await untilDone(stage);
      await insist();
      if (answers.size !== 1) throw new Error(`the webhook answered ${JSON.stringify([...answers])}`);
      return expected;
    },
  },
  /** Somebody runs a recipe. */
  run: {
    settings: called,
    playStrictly: async (stage, people) => {
      const type = () => people.control.command({ channel: general, user: alice, text: 'run quickstart' });
      await people.insist(type);
      // Who saw a warning after the commit types it again.
      return { ...(await untilDone(stage)), hints: ['Skipped quickstart'] };
    },
  },
} as const satisfies Record<string, StrictStory>;
