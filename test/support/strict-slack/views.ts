import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { withIds } from './blocks.ts';
import { newId, strictApp } from './ids.ts';
import type { Block } from './message.ts';
import { argument, type Method, method } from './method.ts';
import type { Trigger } from './triggers.ts';
import { checkedView, inputsOf, type ViewDraft } from './view-shape.ts';
import { fits, initialValue, type StateValue } from './view-values.ts';

const { teamId, appId, botId } = strictApp;

/** The values of the inputs, by block and action. */
export type ViewState = { readonly values: Record<string, Record<string, StateValue>> };

/** A view as Slack gives it out. */
export interface SlackView {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly hash: string;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly blocks: readonly Block[];
  readonly state: ViewState;
  readonly title: unknown;
  readonly submit: unknown;
  readonly [field: string]: unknown;
}

/** The modals that are open, one for a person, and the homes. */
export class Views {
  readonly #newHash: () => string;
  readonly #shown = { modal: new Map<string, SlackView>(), home: new Map<string, SlackView>() };

  constructor(newHash: () => string) {
    this.#newHash = newHash;
  }

  modal(userId: string): SlackView | null {
    return this.#shown.modal.get(userId) ?? null;
  }

  home(userId: string): SlackView | null {
    return this.#shown.home.get(userId) ?? null;
  }

  /** In place of what was open. */
  open({ userId, channelId }: Trigger, draft: ViewDraft): SlackView {
    const view = this.#made(draft, { id: newId('V'), state: { values: {} } }, channelId);
    this.#shown.modal.set(userId, view);
    return view;
  }

  publish(userId: string, draft: ViewDraft, hash: string | undefined): SlackView {
    const old = this.home(userId);
    if (hash !== undefined && hash !== old?.hash) throw new ApiError('hash_conflict');
    const view = this.#made(draft, old ?? { id: newId('V'), state: { values: {} } }, null);
    this.#shown.home.set(userId, view);
    return view;
  }

  /** What was filled in stays, where the inputs stay. */
  update(old: SlackView, draft: ViewDraft, hash?: string): SlackView {
    if (hash !== undefined && hash !== old.hash) throw new ApiError('hash_conflict');
    return this.#replace(this.#made(draft, old, null));
  }

  /** Throws ApiError `not_found`. */
  find(id: string): SlackView {
    const view = Object.values(this.#shown)
      .flatMap((views) => [...views.values()])
      .find((one) => one.id === id);
    if (view === undefined) throw new ApiError('not_found');
    return view;
  }

  /** Puts values into inputs; the view stays the same to the bot. */
  fillIn(view: SlackView, blockId: string, actionId: string, value: StateValue): void {
    const { values } = view.state;
    const block = { ...values[blockId], [actionId]: value };
    this.#replace({ ...view, state: { values: { ...values, [blockId]: block } } });
  }

  close(userId: string): void {
    this.#shown.modal.delete(userId);
  }

  #replace(view: SlackView): SlackView {
    for (const [userId, { id }] of this.#shown[view.type])
      if (id === view.id) this.#shown[view.type].set(userId, view);
    return view;
  }

  #made(
    draft: ViewDraft,
    { id, state }: Pick<SlackView, 'id' | 'state'>,
    channelId: string | null,
  ): SlackView {
    const blocks = withIds(draft.blocks);
    return {
      ...{ id, root_view_id: id, previous_view_id: null, hash: this.#newHash(), external_id: '' },
      ...{ team_id: teamId, app_id: appId, app_installed_team_id: teamId, bot_id: botId },
      ...{ type: draft.type, blocks, state: { values: valuesOf(blocks, state, channelId) } },
      private_metadata: draft.private_metadata ?? '',
      callback_id: draft.callback_id ?? '',
      title: draft.title ?? null,
      submit: draft.submit ?? null,
      close: draft.close ?? null,
      ...{ clear_on_close: false, notify_on_close: false },
    };
  }
}

/** What is there already stays wherever the same input is there again. */
function valuesOf(blocks: readonly Block[], state: ViewState, channelId: string | null): ViewState['values'] {
  const values: ViewState['values'] = {};
  for (const { block, element } of inputsOf(blocks)) {
    const there = state.values[block.block_id]?.[element.action_id];
    const value = there !== undefined && fits(element, there) ? there : initialValue(element, channelId);
    values[block.block_id] = { ...values[block.block_id], [element.action_id]: value };
  }
  return values;
}

const view = z.unknown();

export const viewMethods: Readonly<Record<string, Method>> = {
  'views.open': method(z.strictObject({ trigger_id: argument.text, view }), ({ views, triggers }, args) => {
    const draft = checkedView(args.view, 'modal');
    return { view: views.open(triggers.exchange(args.trigger_id), draft) };
  }),
  'views.update': method(
    z.strictObject({ view_id: argument.text, hash: argument.text.optional(), view }),
    ({ views }, args) => {
      const old = views.find(args.view_id);
      return { view: views.update(old, checkedView(args.view, old.type), args.hash) };
    },
  ),
  'views.publish': method(
    z.strictObject({ user_id: argument.text, hash: argument.text.optional(), view }),
    ({ workspace, views }, args) => {
      const { id } = workspace.people.get(args.user_id);
      return { view: views.publish(id, checkedView(args.view, 'home'), args.hash) };
    },
  ),
};

const answer = z.discriminatedUnion('response_action', [
  z.strictObject({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string().min(1)) }),
  z.strictObject({ response_action: z.literal('update'), view }),
]);

/** What the person reads at the inputs, by block. */
export type ViewErrors = Readonly<Record<string, string>>;

/**
 * Does what the bot answered to a submission. Returns the errors to show, or null. Throws ApiError where the person
 * would read that something went wrong: for an answer, or a view in it, that Slack does not take.
 */
export function applyAnswer(
  views: Views,
  userId: string,
  submitted: SlackView,
  payload: unknown,
): ViewErrors | null {
  if (payload === null || payload === '' || Object.keys(Object(payload)).length === 0) {
    views.close(userId);
    return null;
  }
  const parsed = answer.safeParse(payload);
  if (!parsed.success) throw new ApiError('invalid_payload', [parsed.error.message]);
  if (parsed.data.response_action === 'update') {
    views.update(views.find(submitted.id), checkedView(parsed.data.view, 'modal'));
    return null;
  }
  const { errors } = parsed.data;
  const inputs = new Set(
    submitted.blocks.flatMap(({ type, block_id }) => (type === 'input' ? block_id : [])),
  );
  const lost = Object.keys(errors).filter((blockId) => !inputs.has(blockId));
  if (lost.length > 0) throw new ApiError('invalid_payload', [`no input block ${lost.join(', ')}`]);
  if (Object.keys(errors).length === 0) throw new ApiError('invalid_payload', ['no errors']);
  return errors;
}
