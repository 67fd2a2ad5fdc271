import { fileURLToPath } from 'node:url';
import { requestDraft } from '../../../../src/jobs/decide/open.ts';
import { botScopes, reactionScopes } from '../../../../src/slack/protocol/scopes.ts';
import { policy, request } from '../../../jobs/support/builders.ts';
import { alice, bob, general, type SlackMessage } from '../../../support/local-slack.ts';
import { strictApp } from '../../../support/strict-slack/ids.ts';
import { PROJECT_ID } from '../outside.ts';
import type { Stage } from '../stage.ts';
import type { StrictPeople } from '../strict-people.ts';
import { nothing, oneThread, PROMPT, settings } from './expected.ts';
import type { StrictStory } from './strict.ts';

const SAID = 'The limits are wrong';
const WEEK_MS = 7 * 86_400_000;
/** A slow machine starts the program and posts the draft in this time. */
const UNTIL_EXPIRED_MS = 30_000;
const withMarks = {
  ...settings,
  DOCS_AGENT_CONFIG: fileURLToPath(new URL('./marks.yml', import.meta.url)),
};

/** Bob writes something, and Alice marks it. */
async function markedMessage(stage: Stage, people: StrictPeople): Promise<SlackMessage> {
  people.control.grantScopes([...botScopes, ...reactionScopes].map(({ name }) => name));
  const message = await people.write(SAID, { user: bob });
  await mark(stage, people, message);
  return message;
}

/** Once: Slack delivers it until it is acknowledged. */
async function mark({ lives }: Stage, { control }: StrictPeople, message: SlackMessage): Promise<void> {
  await lives.up();
  await control.react(message, 'memo', alice);
}

/** The draft, as soon as the program knows that it is there, also after a kill: a press before that is another commit. */
async function draftIn(stage: Stage, root: SlackMessage): Promise<SlackMessage> {
  const draft = await stage.threadMessage(root, '[Start]');
  await stage.idle();
  await stage.lives.up();
  return draft;
}

async function untilDone(stage: Stage, root: SlackMessage): Promise<void> {
  await stage.threadMessage(root, 'Working');
  await stage.complete(root);
}

/** Messages that are marked, and drafts. */
export const markStories = {
  /** Slack can be asked for the marks only later; the draft of the message is started. */
  marked: {
    settings: withMarks,
    playStrictly: async (stage, people) => {
      stage.lives.busy.add('reactions.get');
      const root = await markedMessage(stage, people);
      await stage.done('put off look_at_marks');
      stage.lives.busy.delete('reactions.get');
      const draft = await draftIn(stage, root);
      await people.insist(() => people.control.press(draft, 'start_draft', alice));
      await untilDone(stage, root);
      return oneThread({
        prompt: SAID,
        rootTs: root.ts,
        posts: ['Started by alice', 'Done'],
      });
    },
  },
  /** The mark is taken away and put there again; the second draft is edited and started. */
  markedAgain: {
    settings: withMarks,
    playStrictly: async (stage, people) => {
      const root = await markedMessage(stage, people);
      await draftIn(stage, root);
      await people.control.unreact(root, 'memo', alice);
      await stage.threadMessage(root, 'Withdrawn by alice');
      await mark(stage, people, root);
      const draft = await draftIn(stage, root);
      const press = () => people.control.press(draft, 'edit_draft', alice);
      await people.fillIn(press, '"draft"', { prompt: PROMPT });
      await untilDone(stage, root);
      return oneThread({
        rootTs: root.ts,
        posts: ['Withdrawn by alice', 'Started by alice', 'On it', 'Done'],
      });
    },
  },
  /** A draft is dismissed, and an older one is forgotten. */
  dropped: {
    settings: withMarks,
    prepare: (store) =>
      store.transaction(async (tx) => {
        const nowMs = Date.now();
        const place = { teamId: strictApp.teamId, channelId: general, projectId: PROJECT_ID };
        const context = {
          nowMs: nowMs - WEEK_MS + UNTIL_EXPIRED_MS,
          jitter: 0,
          newId: () => crypto.randomUUID(),
          policy,
        };
        await tx.write(requestDraft({ ...request, ...place }, { approvers: [] }, context), nowMs);
      }),
    playStrictly: async (stage, people) => {
      const root = await markedMessage(stage, people);
      const draft = await stage.threadMessage(root, '[Start]');
      await people.insist(() => people.control.press(draft, 'dismiss_draft', alice));
      await stage.threadMessage(root, 'Dismissed by alice');
      await stage.seen(general, 'Expired after 7 days');
      return { ...nothing, drafts: ['Expired after 7 days', 'Dismissed by alice'] };
    },
  },
} as const satisfies Record<string, StrictStory>;
