import { randomUUID } from 'node:crypto';
import type { Acknowledgement } from './delivery.ts';
import { viewActions, viewClosed, viewSubmission } from './interactions.ts';
import { eventCallback, type Payload } from './payloads.ts';
import { pressedElement } from './pressed.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';
import { applyAnswer, type ViewErrors } from './view-answer.ts';
import { inputsOf } from './view-shape.ts';
import { enteredValue, type FilledIn, isBlank, meantInput } from './view-values.ts';
import type { SlackView } from './views.ts';

/** By `block_id/action_id`, by either of them, or by the label. */
export type FilledInValues = Readonly<Record<string, FilledIn>>;

export interface SubmissionOutcome extends Acknowledgement {
  /** What the person reads at the inputs, by block; then the modal stays open. */
  readonly errors: ViewErrors | null;
}

/** What people do in modals, and at the app's home. */
export interface ViewControl {
  /** Opens the home tab of the app (`app_home_opened`). */
  openHome(user: string): Promise<Acknowledgement>;
  /** The home as it was published for the person, or null. */
  home(user: string): SlackView | null;
  /** The view of a modal that the person sees, with what they filled in, or null. */
  modal(user: string): SlackView | null;
  /** Fills in inputs of the open modal, of which the bot learns nothing. Throws for what Slack would not let in. */
  fillIn(user: string, values: FilledInValues): void;
  /**
   * Fills in, and submits. Throws if Slack would not let the person (something required is empty), and for an
   * answer that Slack does not take.
   */
  submit(user: string, values?: FilledInValues): Promise<SubmissionOutcome>;
  /** Closes the view that the person sees; the bot learns of it if it asked for that. */
  close(user: string): Promise<void>;
  /**
   * Presses a button, or chooses in a menu, of the open modal, or else of the home. `value`: what is filled in;
   * or of several buttons with the action id, the value of the one that is meant.
   */
  pressInView(user: string, actionId: string, value?: string): Promise<Acknowledgement>;
}

export function createViewControl(options: ControlOptions, requests: SlackRequests): ViewControl {
  const { clock, context, deliverer, responseUrls } = options;
  const { workspace, views, triggers } = context;
  const { personOf, tell } = requests;

  const opened = (userId: string) => {
    const view = views.top(userId);
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

  /** Where the bot may answer a modal that asks for a conversation to answer in. */
  const responseUrlsOf = (userId: string, { blocks, state }: SlackView): Payload[] =>
    inputsOf(blocks)
      .filter(({ element }) => element.response_url_enabled)
      .map(({ block, element }) => {
        const { block_id } = block;
        const chosen = state.values[block_id]?.[element.action_id]?.selected_conversation;
        const channel = workspace.channel(String(chosen));
        const responseUrl = responseUrls.create({ channel, userId, original: null });
        const { action_id } = element;
        return { block_id, action_id, channel_id: channel.id, response_url: responseUrl };
      });

  return {
    openHome: (userId) => {
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
      return deliverer.deliver({ id: randomUUID(), kind: 'event', payload });
    },
    home: (userId) => views.home(userId),
    modal: (userId) => views.top(userId),
    fillIn,
    submit: async (userId, values = {}) => {
      fillIn(userId, values);
      const view = opened(userId);
      if (view.submit === null) throw new Error('the view has nothing to submit');
      const missing = missingInputs(view);
      if (missing.length > 0) throw new Error(`still to be filled in: ${missing.join(', ')}`);
      const triggerId = newTrigger(userId);
      const user = personOf(userId);
      const urls = responseUrlsOf(userId, view);
      const answer = await tell('action', viewSubmission({ user, view, triggerId, responseUrls: urls }));
      const errors = answer.acknowledged ? applyAnswer(views, userId, view, answer.payload) : null;
      return { ...answer, errors };
    },
    close: async (userId) => {
      const view = opened(userId);
      const gone = view.clear_on_close ? views.clear(userId) : [view];
      views.remove(userId, view);
      const toTell = gone.filter(({ notify_on_close: isAsked }) => isAsked);
      const payloads = toTell.map((one) => viewClosed(personOf(userId), one, view.clear_on_close));
      await Promise.all(payloads.map((payload) => tell('action', payload)));
    },
    pressInView: async (userId, actionId, value) => {
      const shown = views.top(userId) ?? views.home(userId);
      if (shown === null) throw new Error(`${userId} has no modal open, and no home`);
      const { placed, action, value: entered } = pressedElement(shown.blocks, actionId, value);
      if (entered !== null) views.fillIn(shown, placed.block.block_id, actionId, entered);
      const view = views.find({ id: shown.id });
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
