import type { WebAPICallResult } from '@slack/web-api';
import type { MessageEvent } from '../../messages/message-event.ts';
import type { FoundMessage } from '../../messages/post-mark.ts';

/** The fields read from Slack's answers; which are present depends on the method. */
export interface Answer extends WebAPICallResult {
  readonly ts?: string;
  readonly permalink?: string;
  readonly view?: { readonly id?: string };
  readonly channel?:
    | string
    | { readonly is_private?: boolean; readonly is_im?: boolean; readonly is_mpim?: boolean };
  readonly messages?: readonly FoundMessage[];
}

export type ThreadMessage = FoundMessage & MessageEvent;

/** `cursor`: where the next page begins; null: this is the last. */
export interface Page {
  readonly messages: readonly FoundMessage[];
  readonly cursor: string | null;
}

export interface ThreadPage extends Page {
  readonly messages: readonly ThreadMessage[];
}
