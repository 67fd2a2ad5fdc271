import { setTimeout as sleep } from 'node:timers/promises';
import { alice, general, type SlackMessage } from '../../support/local-slack.ts';
import type { StrictControl } from '../../support/strict-slack/control.ts';
import type { Acknowledgement } from '../../support/strict-slack/delivery.ts';
import type { FilledInValues } from '../../support/strict-slack/view-control.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Lives } from './lives.ts';
import { API_KEY, type Outside, PROJECT_ID } from './outside.ts';
import { AGAIN_AFTER_MS, attemptIn } from './stage.ts';

/** On a busy machine, Slack may have given up the trigger of a form: whoever sees none asks again. */
const FORM_WITHIN_MS = 6_000;

type SlackRequest = () => Promise<Acknowledgement>;

/** Alice, who uses forms, and does not know that the program may die at any moment. */
export interface StrictPeople {
  readonly control: StrictControl;
  /** Writes, once: Slack delivers it until it is acknowledged. In the channel where nothing else is said. */
  write(text: string, options?: Partial<Parameters<StrictControl['message']>[0]>): Promise<SlackMessage>;
  /** A workflow comes to its step, once: Slack delivers it until it is acknowledged. Returns the id of the execution. */
  runStep(inputs: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until the step is completed, in this state. */
  stepEnded(executionId: string, state: string): Promise<void>;
  /** Makes the request until it is acknowledged: who sees a warning makes it again. */
  insist(request: SlackRequest): Promise<void>;
  /** Makes the request until there is a form with the words, fills it in, and submits it until it is taken. */
  fillIn(request: SlackRequest, words: string, values: FilledInValues): Promise<void>;
  /** Waits until the home tab shows the words. */
  seenAtHome(words: string): Promise<void>;
  /** Has the agent begin a job past the program, and returns its id. */
  startElsewhere(prompt: string): Promise<string>;
  /** Waits for a private message to Alice. */
  privateMessage(words: string, channel?: string): Promise<SlackMessage>;
}

export function createStrictPeople({ api }: Outside, control: StrictControl, lives: Lives): StrictPeople {
  const shown = () => JSON.stringify(control.modal(alice)) ?? '';
  const insist = async (request: SlackRequest) => {
    while (!(await attemptIn(lives, request))) await sleep(AGAIN_AFTER_MS);
  };
  return {
    control,
    write: async (text, options = {}) => {
      // Else Slack would tell of it again only when some seconds have passed.
      await lives.up();
      return control.message({ channel: general, user: alice, text, ...options });
    },
    runStep: async (inputs) => {
      await lives.up();
      return control.runStep(inputs);
    },
    stepEnded: async (executionId, state) => {
      const end = () => JSON.stringify(control.stepEnd(executionId));
      const isIt = (text: string) => text.includes(`"state":"${state}"`);
      await waitFor(end, isIt, { what: `the step to end as ${state}` });
    },
    insist,
    fillIn: async (request, words, values) => {
      const isShown = (text: string) => text.includes(words);
      const open = async () => {
        await request();
        await waitFor(shown, isShown, { what: words, timeoutMs: FORM_WITHIN_MS });
      };
      const openUnlessShown = async () => {
        if (!isShown(shown())) await attemptIn(lives, open);
        return shown();
      };
      await waitFor(openUnlessShown, isShown, { what: words });
      control.fillIn(alice, values);
      await insist(async () => {
        const { acknowledged, errors, payload } = await control.submit(alice);
        return { acknowledged: acknowledged && errors === null, payload };
      });
      if (control.modal(alice) !== null) throw new Error('another form came, as if it had been for nothing');
    },
    seenAtHome: async (words) => {
      const home = () => JSON.stringify(control.home(alice)) ?? '';
      await waitFor(home, (text) => text.includes(words), { what: words });
    },
    startElsewhere: async (prompt) => {
      const response = await fetch(`${api.baseUrl}/v2/agent/${PROJECT_ID}/job`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt }),
      });
      return ((await response.json()) as { id: string }).id;
    },
    privateMessage: async (words, channel = general) => {
      const isIt = ({ ephemeral_to, text }: SlackMessage) => ephemeral_to === alice && text.includes(words);
      let found: SlackMessage | undefined;
      const look = async () => {
        found = (await control.messages(channel)).findLast(isIt);
        return found !== undefined;
      };
      await waitFor(look, Boolean, { what: `the private answer "${words}"` });
      if (found === undefined) throw new Error(words);
      return found;
    },
  };
}
