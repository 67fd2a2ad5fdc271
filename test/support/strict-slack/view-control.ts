import { viewActions, viewSubmission } from './interactions.ts';
import { eventCallback } from './payloads.ts';
import { pressedElement } from './pressed.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';
import { inputsOf } from './view-shape.ts';
import { enteredValue, type FilledIn, isBlank, meantInput } from './view-values.ts';
import { applyAnswer, type SlackView } from './views.ts';

/** By `block_id/action_id`, by either of them, or by the label. */
export type FilledInValues = Readonly<Record<string, FilledIn>>;

/** What people do in modals, and at the app's home. */
export function createViewControl(options: ControlOptions, requests: SlackRequests) {
  const { clock, context } = options;
  const { workspace, views, triggers } = context;
  const { personOf, tell } = requests;

  const opened = (userId: string) => {
    const view = views.modal(userId);
    if (view === null) throw new Error(`${userId} has no modal open`);
    return view;
  };
  const fillIn = (userId: string, values: FilledInValues) => {
    for (const [name, given] of Object.entries(values)) {
      const { block, element } = meantInput(opened(userId).blocks, name);
      views.fillIn(opened(userId), block.block_id, element.action_id, enteredValue(element, given));
    }
  };
  const newTrigger = (userId: string) => triggers.create({ userId, channelId: null });

  return {
    /** Opens the home tab of the app (`app_home_opened`). */
    openHome: (userId: string) => {
      const view = views.home(userId);
      const event = {
        type: 'app_home_opened',
        user: personOf(userId).id,
        channel: workspace.channel(userId).id,
        tab: 'home',
        event_ts: workspace.newTs(),
        ...(view === null ? {} : { view }),
      };
      const payload = eventCallback(event, { nowMs: clock.now(), isShared: false });
      return tell('event', payload);
    },
    /** The home as it was published for the person, or null. */
    home: (userId: string) => views.home(userId),
    /** The view of a modal that the person sees, with what they filled in, or null. */
    modal: (userId: string) => views.modal(userId),
    /** Fills in inputs of the open modal, of which the bot learns nothing. Throws for what Slack would not let in. */
    fillIn,
    /**
     * Fills in, and submits. Throws if Slack would not let the person (something required is empty), and for an
     * answer that Slack does not take. Returns what the person reads at the inputs, by block: then the modal stays open.
     */
    submit: async (userId: string, values: FilledInValues = {}) => {
      fillIn(userId, values);
      const view = opened(userId);
      if (view.submit === null) throw new Error('the view has nothing to submit');
      const missing = missingInputs(view);
      if (missing.length > 0) throw new Error(`still to be filled in: ${missing.join(', ')}`);
      const triggerId = newTrigger(userId);
      const user = personOf(userId);
      const answer = await tell('action', viewSubmission({ user, view, triggerId }));
      const errors = answer.acknowledged ? applyAnswer(views, userId, view, answer.payload) : null;
      return { ...answer, errors };
    },
    /** Closes the modal that the person sees. The bot learns nothing of it. */
    close: async (userId: string) => {
      opened(userId);
      views.close(userId);
    },
    /**
     * Presses a button, or chooses in a menu, of the open modal, or else of the home. `value`: what is filled in;
     * or of several buttons with the action id, the value of the one that is meant.
     */
    pressInView: async (userId: string, actionId: string, value?: string) => {
      const shown = views.modal(userId) ?? views.home(userId);
      if (shown === null) throw new Error(`${userId} has no modal open, and no home`);
      const { placed, action, value: entered } = pressedElement(shown.blocks, actionId, value);
      if (entered !== null) views.fillIn(shown, placed.block.block_id, actionId, entered);
      const view = views.find(shown.id);
      const user = personOf(userId);
      const ts = workspace.newTs();
      return tell('action', viewActions({ user, view, action, triggerId: newTrigger(userId), ts }));
    },
  };
}

function missingInputs({ blocks, state }: SlackView): string[] {
  return inputsOf(blocks)
    .filter(({ block }) => block.type === 'input' && !block.optional)
    .filter(({ block, element }) => {
      const value = state.values[block.block_id]?.[element.action_id];
      return value === undefined || isBlank(value);
    })
    .map(({ block, element }) => `${block.block_id}/${element.action_id}`);
}
