import { ApiError } from './api-error.ts';
import { withIds } from './block-ids.ts';
import { newId, strictApp } from './ids.ts';
import type { Block } from './message.ts';
import type { Trigger } from './triggers.ts';
import { inputsOf, type ViewDraft } from './view-shape.ts';
import { fits, initialValue, type StateValue } from './view-values.ts';

const STACK_MAX = 3;
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
  readonly external_id: string;
  readonly blocks: readonly Block[];
  readonly state: ViewState;
  readonly root_view_id: string;
  readonly previous_view_id: string | null;
  readonly clear_on_close: boolean;
  readonly notify_on_close: boolean;
  readonly title: unknown;
  readonly submit: unknown;
  readonly close: unknown;
  readonly [field: string]: unknown;
}

interface Placement {
  readonly id: string;
  readonly rootId: string;
  readonly previousId: string | null;
  /** Of the view that it replaces. */
  readonly state: ViewState;
  readonly channelId: string | null;
}

/** The views that are open, and the homes. */
export class Views {
  readonly #newHash: () => string;
  /** Of each person, the lowest first. */
  readonly #stacks = new Map<string, SlackView[]>();
  readonly #homes = new Map<string, SlackView>();

  constructor(newHash: () => string) {
    this.#newHash = newHash;
  }

  forget(): void {
    this.#stacks.clear();
    this.#homes.clear();
  }

  /** The view that a person sees. */
  top(userId: string): SlackView | null {
    return this.#stacks.get(userId)?.at(-1) ?? null;
  }

  home(userId: string): SlackView | null {
    return this.#homes.get(userId) ?? null;
  }

  /** In place of all that was open. */
  open({ userId, channelId }: Trigger, draft: ViewDraft): SlackView {
    const id = newId('V');
    const view = this.#made(draft, { id, rootId: id, previousId: null, state: { values: {} }, channelId });
    this.#stacks.set(userId, [view]);
    return view;
  }

  push({ userId, channelId }: Trigger, draft: ViewDraft): SlackView {
    const stack = this.#stacks.get(userId) ?? [];
    const below = stack.at(-1);
    if (below === undefined) throw new ApiError('not_found');
    if (stack.length >= STACK_MAX) throw new ApiError('push_limit_reached');
    const view = this.#made(draft, {
      id: newId('V'),
      rootId: below.root_view_id,
      previousId: below.id,
      state: { values: {} },
      channelId,
    });
    stack.push(view);
    return view;
  }

  publish(userId: string, draft: ViewDraft, hash: string | undefined): SlackView {
    const old = this.home(userId);
    if (hash !== undefined && hash !== old?.hash) throw new ApiError('hash_conflict');
    const id = old?.id ?? newId('V');
    const state = old?.state ?? { values: {} };
    const view = this.#made(draft, { id, rootId: id, previousId: null, state, channelId: null });
    this.#homes.set(userId, view);
    return view;
  }

  /** What was filled in stays, where the inputs stay. */
  update(old: SlackView, draft: ViewDraft, hash?: string): SlackView {
    if (hash !== undefined && hash !== old.hash) throw new ApiError('hash_conflict');
    const { id, root_view_id: rootId, previous_view_id: previousId, state } = old;
    return this.#replace(this.#made(draft, { id, rootId, previousId, state, channelId: null }));
  }

  /** By its id, or by the bot's. Throws ApiError `not_found`. */
  find(by: { readonly id?: string | undefined; readonly externalId?: string | undefined }): SlackView {
    const view = this.#all().find(({ id, external_id }) =>
      by.id === undefined ? external_id === by.externalId : id === by.id,
    );
    if (view === undefined) throw new ApiError('not_found');
    return view;
  }

  /** Puts values into inputs; the view stays the same to the bot. */
  fillIn(view: SlackView, blockId: string, actionId: string, value: StateValue): void {
    const { values } = view.state;
    const block = { ...values[blockId], [actionId]: value };
    this.#replace({ ...view, state: { values: { ...values, [blockId]: block } } });
  }

  /** Takes one view away. */
  remove(userId: string, { id }: SlackView): void {
    const stack = this.#stacks.get(userId) ?? [];
    this.#stacks.set(
      userId,
      stack.filter((view) => view.id !== id),
    );
  }

  /** Takes all of a person's modal away. Returns what is gone, the top first. */
  clear(userId: string): readonly SlackView[] {
    const stack = this.#stacks.get(userId) ?? [];
    this.#stacks.delete(userId);
    return stack.toReversed();
  }

  #all(): SlackView[] {
    return [...[...this.#stacks.values()].flat(), ...this.#homes.values()];
  }

  #replace(view: SlackView): SlackView {
    for (const stack of this.#stacks.values()) {
      const index = stack.findIndex(({ id }) => id === view.id);
      if (index >= 0) stack[index] = view;
    }
    for (const [userId, { id }] of this.#homes) if (id === view.id) this.#homes.set(userId, view);
    return view;
  }

  #made(draft: ViewDraft, placement: Placement): SlackView {
    const { external_id: externalId = '' } = draft;
    const isTaken = this.#all().some(
      ({ id, external_id }) => id !== placement.id && external_id === externalId,
    );
    if (externalId !== '' && isTaken) throw new ApiError('duplicate_external_id');
    const blocks = withIds(draft.blocks);
    return {
      id: placement.id,
      team_id: teamId,
      type: draft.type,
      blocks,
      private_metadata: draft.private_metadata ?? '',
      callback_id: draft.callback_id ?? '',
      state: { values: valuesOf(blocks, placement) },
      hash: this.#newHash(),
      title: draft.title ?? null,
      submit: draft.submit ?? null,
      close: draft.close ?? null,
      clear_on_close: draft.clear_on_close ?? false,
      notify_on_close: draft.notify_on_close ?? false,
      previous_view_id: placement.previousId,
      root_view_id: placement.rootId,
      app_id: appId,
      external_id: externalId,
      app_installed_team_id: teamId,
      bot_id: botId,
    };
  }
}

/** What is there already stays wherever the same input is there again. */
function valuesOf(blocks: readonly Block[], { state, channelId }: Placement): ViewState['values'] {
  const values: ViewState['values'] = {};
  for (const { block, element } of inputsOf(blocks)) {
    const there = state.values[block.block_id]?.[element.action_id];
    const value = there !== undefined && fits(element, there) ? there : initialValue(element, channelId);
    values[block.block_id] = { ...values[block.block_id], [element.action_id]: value };
  }
  return values;
}
