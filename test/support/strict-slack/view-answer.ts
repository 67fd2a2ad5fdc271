import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { checkedView } from './view-shape.ts';
import type { SlackView, Views } from './views.ts';

const answer = z.discriminatedUnion('response_action', [
  z.strictObject({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string().min(1)) }),
  z.strictObject({ response_action: z.literal('update'), view: z.unknown() }),
  z.strictObject({ response_action: z.literal('push'), view: z.unknown() }),
  z.strictObject({ response_action: z.literal('clear') }),
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
  if (isEmpty(payload)) {
    views.remove(userId, submitted);
    return null;
  }
  const parsed = answer.safeParse(payload);
  if (!parsed.success) throw new ApiError('invalid_payload', [parsed.error.message]);
  const { data } = parsed;
  switch (data.response_action) {
    case 'errors':
      return checkedErrors(submitted, data.errors);
    case 'update':
      views.update(views.find({ id: submitted.id }), checkedView(data.view, 'modal'));
      return null;
    case 'push':
      views.push({ userId, channelId: null }, checkedView(data.view, 'modal'));
      return null;
    case 'clear':
      views.clear(userId);
      return null;
  }
}

function checkedErrors({ blocks }: SlackView, errors: ViewErrors): ViewErrors {
  const inputs = new Set(blocks.filter(({ type }) => type === 'input').map(({ block_id }) => block_id));
  const lost = Object.keys(errors).filter((blockId) => !inputs.has(blockId));
  if (lost.length > 0) throw new ApiError('invalid_payload', [`no input block ${lost.join(', ')}`]);
  if (Object.keys(errors).length === 0) throw new ApiError('invalid_payload', ['no errors']);
  return errors;
}

function isEmpty(payload: unknown): boolean {
  if (payload === null || payload === '') return true;
  return typeof payload === 'object' && Object.keys(payload).length === 0;
}
